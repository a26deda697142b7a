/** The part of the Python client that is the same for every document: credentials, errors, sending and following. */
export const CLIENT_CORE = `from __future__ import annotations

import base64
import json
import mimetypes
import os
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union

#: A file to send: a path, or a name and its bytes.
File = Union[str, 'os.PathLike[str]', Tuple[str, bytes]]

#: Seconds after which a call without an answer fails.
TIMEOUT_SECONDS = 120


class OutpostError(Exception):
    """The site refused a call, or could not be reached (status 0). The code is stable, the message is for people."""

    def __init__(self, status: int, code: str, message: str, errors: Sequence[Any] = (), request_id: str = '') -> None:
        super().__init__(f'{message} ({code})')
        self.status = status
        self.code = code
        self.message = message
        self.errors = list(errors)
        self.request_id = request_id


class _Connection:
    def __init__(self, url: str) -> None:
        self.url = url.rstrip('/')
        self.account_id = ''
        self._authorization: Optional[str] = None

    def log_in(self, email: str, password: str) -> None:
        """Signs in; the access token is valid for two weeks."""
        session = self._call('POST', '/users/login/email', {}, {}, body={'email': email, 'password': password}, form='json')
        self.account_id = session['user']['accountId']
        self.use_token(session['user']['id'], session['accessToken'])

    def use_token(self, user_id: str, access_token: str) -> None:
        """Continues with an access token of an earlier sign-in."""
        self._authorization = 'Basic ' + base64.b64encode(f'{user_id}:{access_token}'.encode()).decode()

    def follow(self, href: str) -> bytes:
        """Reads a path of a \`links\` or \`export\` member (\`/v1/...\`), or a signed address."""
        with self._open('GET', self._address(href)) as answer:
            return bytes(answer.read())

    def download(self, href: str, path: 'Union[str, os.PathLike[str]]') -> None:
        """Writes what an address answers to a file. A path of the API is asked for its signed address first."""
        if not href.startswith('http'):
            href = json.loads(self.follow(href))['href']
        partial = os.fspath(path) + '.part'
        with self._open('GET', href) as answer, open(partial, 'wb') as out:
            shutil.copyfileobj(answer, out, 1 << 20)
            # urllib ends a broken connection like the end of the file.
            if answer.length:
                raise OutpostError(0, 'UNREACHABLE', f'The connection ended {answer.length} bytes early. Download it again.')
        os.replace(partial, path)

    def pages(self, page: Any) -> Iterator[Any]:
        """Every item of a list: those of its first page, and of the pages that its links lead to."""
        while True:
            yield from page['items']
            links = [link['href'] for link in page.get('links', []) if link['rel'] == 'next']
            if not links:
                return
            page = json.loads(self.follow(links[0]))

    def wait_for_job(self, job_id: str, timeout_seconds: float = 3600) -> Any:
        """Waits until a job has ended, and returns it. Raises TimeoutError."""
        end = time.monotonic() + timeout_seconds
        while True:
            job = self._call('GET', '/jobs/{jobId}', {'jobId': job_id}, {}, form='json')
            if job['state'] not in ('queued', 'running'):
                return job
            if time.monotonic() > end:
                raise TimeoutError(f'The job {job_id} is still {job["state"]}.')
            time.sleep(0.5)

    def _address(self, href: str) -> str:
        if href.startswith('http'):
            return href
        return self.url + (href if href.startswith('/api/') else '/api' + href)

    def _call(
        self,
        method: str,
        path: str,
        values: Mapping[str, Any],
        query: Mapping[str, Any],
        *,
        form: str,
        body: Any = None,
        fields: Optional[Mapping[str, str]] = None,
        files: Sequence[File] = (),
    ) -> Any:
        for name, value in values.items():
            path = path.replace('{' + name + '}', urllib.parse.quote(str(value), safe=''))
        given = {name: _query_text(value) for name, value in query.items() if value is not None}
        url = self.url + '/api/v1' + path + ('?' + urllib.parse.urlencode(given, doseq=True) if given else '')
        headers: Dict[str, str] = {}
        data: Optional[bytes] = None
        if fields is not None:
            data, headers['Content-Type'] = _multipart(fields, files)
        elif body is not None:
            data, headers['Content-Type'] = json.dumps(body).encode(), 'application/json'
        with self._open(method, url, data, headers) as answer:
            content = answer.read()
        if form == 'json':
            return json.loads(content)
        if form == 'text':
            return content.decode()
        return bytes(content) if form == 'bytes' else None

    def _open(self, method: str, url: str, data: Optional[bytes] = None, headers: Mapping[str, str] = {}) -> Any:
        request = urllib.request.Request(url, data=data, headers=dict(headers), method=method)
        # A signed address needs no credentials, and one of another site must not get any.
        if self._authorization and url.startswith(self.url + '/') and 'signature=' not in url:
            request.add_unredirected_header('Authorization', self._authorization)
        try:
            return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
        except urllib.error.HTTPError as failure:
            raise _error_of(failure) from None
        except urllib.error.URLError as failure:
            raise OutpostError(0, 'UNREACHABLE', f'{self.url} cannot be reached: {failure.reason}') from None


def _query_text(value: Any) -> Any:
    if isinstance(value, bool):
        return 'true' if value else 'false'
    return value


def _error_of(failure: urllib.error.HTTPError) -> OutpostError:
    try:
        body = json.loads(failure.read())
        return OutpostError(failure.code, body['code'], body['message'], body.get('errors', ()), body.get('requestId', ''))
    except (ValueError, KeyError, TypeError):
        return OutpostError(failure.code, 'UNKNOWN', f'The site answered {failure.code} {failure.reason}.')


def _multipart(fields: Mapping[str, str], files: Sequence[File]) -> Tuple[bytes, str]:
    boundary = uuid.uuid4().hex
    parts: List[bytes] = []

    def add(disposition: str, media: Optional[str], content: bytes) -> None:
        head = f'--{boundary}\\r\\nContent-Disposition: form-data; {disposition}\\r\\n'
        parts.append(head.encode() + (f'Content-Type: {media}\\r\\n'.encode() if media else b'') + b'\\r\\n' + content + b'\\r\\n')

    for name, value in fields.items():
        add(f'name="{name}"', None, value.encode())
    for one in files:
        if isinstance(one, tuple):
            name, content = one
        else:
            name = os.path.basename(os.fspath(one))
            with open(one, 'rb') as source:
                content = source.read()
        media = mimetypes.guess_type(name)[0] or 'application/octet-stream'
        quoted = name.replace('"', '%22').replace('\\r', '').replace('\\n', '')
        add(f'name="{"image" if media.startswith("image/") else "file"}"; filename="{quoted}"', media, content)
    parts.append(f'--{boundary}--\\r\\n'.encode())
    return b''.join(parts), f'multipart/form-data; boundary={boundary}'

`;

; Included by electron-builder's NSIS script. Links outpost:// belong to the installed program: known from the installation on, and forgotten
; when it is removed. After "--" the program takes nothing for a switch, whatever a link holds.
!macro customInstall
  WriteRegStr HKCU "Software\Classes\outpost" "" "URL:Outpost"
  WriteRegStr HKCU "Software\Classes\outpost" "URL Protocol" ""
  WriteRegStr HKCU "Software\Classes\outpost\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" -- "%1"'
!macroend

!macro customUnInstall
  ${ifNot} ${isUpdated}
    DeleteRegKey HKCU "Software\Classes\outpost"
  ${endIf}
!macroend

export function App() {
  return <main>Outpost</main>;
}

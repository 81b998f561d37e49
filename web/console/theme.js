// Runs before the first paint, so that a chosen theme does not flash. Not a module: modules wait.
{
  const chosen = localStorage.getItem('sluice.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
}

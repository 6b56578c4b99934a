// Runs before the first paint, so that a chosen theme never flashes the other one.
try {
  var theme = localStorage.getItem('satchel.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the system's theme stays.
}

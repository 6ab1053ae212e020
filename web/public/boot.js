// Runs before the first paint, so that no other theme or language flashes up.
;(function () {
  var root = document.documentElement
  var theme = null
  var lang = null
  try {
    theme = localStorage.getItem('konak.theme')
    lang = localStorage.getItem('konak.lang')
  } catch (_) {
    // Storage may be forbidden; the system's choice stands.
  }
  var dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.dataset.theme = dark ? 'dark' : 'light'
  root.lang = (lang || navigator.language || 'tr').slice(0, 2) === 'en' ? 'en' : 'tr'
})()

// Keeps the conversation up to date, unless the visitor is typing into it.
const log = document.getElementById('log')
let shown = log.innerHTML

async function refresh() {
  try {
    const response = await fetch(log.dataset.log)
    const text = await response.text()
    if (response.ok && text !== shown && !log.contains(document.activeElement)) {
      shown = text
      log.innerHTML = text
    }
  } catch {
    // The demo is not running; the next time it may be.
  }
}

setInterval(refresh, 1500)

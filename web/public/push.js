// The service worker of pushes. It shows what the server pushed while no panel was open,
// and opens the conversation that it speaks of. It answers no requests of pages.
self.addEventListener('install', () => self.skipWaiting())

self.addEventListener('push', (event) => {
  if (!event.data) return
  const { title, conversation_id: id } = event.data.json()
  event.waitUntil(self.registration.showNotification(title, { tag: id, data: { path: `/inbox?c=${encodeURIComponent(id)}` }, icon: '/favicon.svg' }))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(self.clients.openWindow(event.notification.data.path))
})

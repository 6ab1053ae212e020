export const home = {
  'home.hello': 'Hello, {name}',
  'home.nothing': 'Your role opens no module yet. An owner of the workspace can change that.',
  'home.keys.title': 'Keyboard first',
  'home.activity.title': 'Happening now',
  'home.activity.live': 'Live',
  'home.activity.waiting': 'Connecting',
  'home.activity.empty':
    'Events of the workspace appear here the moment they happen. Add a DLP exception in another window to see one arrive.',
} as const

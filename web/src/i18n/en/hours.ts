export const hours = {
  'hours.title': 'Business hours',
  'hours.on': 'Set business hours',
  'hours.timezone': 'Time zone',
  'hours.timezoneWrong': 'This time zone is unknown.',
  'hours.closed': 'Closed',
  'hours.from': 'From',
  'hours.to': 'To',
  'hours.add': 'Add',
  'hours.addOn': 'Add hours on {day}',
  'hours.remove': 'Remove these hours',
} as const

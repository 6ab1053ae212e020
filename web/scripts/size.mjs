// Prints what the browser fetches before a screen can be used, gzipped, and fails above the budget.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const budget = 200_000
const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'))

/** The entry, the shell, one dictionary, and the screen, with all that they import statically. */
function firstLoad(screen) {
  const files = new Set()
  const seen = new Set()
  function visit(key) {
    if (seen.has(key)) return
    seen.add(key)
    const chunk = manifest[key]
    files.add(chunk.file)
    for (const css of chunk.css ?? []) files.add(css)
    for (const next of chunk.imports ?? []) visit(next)
  }
  for (const key of ['index.html', 'src/i18n/tr/index.ts', ...screen]) visit(key)
  return [...files]
}

function packed(files, ending) {
  return files
    .filter((file) => file.endsWith(ending))
    .reduce((sum, file) => sum + gzipSync(readFileSync(dist + file), { level: 9 }).length, 0)
}

const shell = 'src/shell/AppShell.tsx'
const screens = {
  'sign-in': ['src/shell/SignInScreen.tsx'],
  home: [shell, 'src/modules/home/HomeScreen.tsx'],
  'dlp exceptions': [shell, 'src/modules/mail/DlpExceptionsScreen.tsx'],
  webhooks: [shell, 'src/modules/erp/webhookScreens.tsx'],
  inbox: [shell, 'src/modules/crm/inbox/InboxScreen.tsx'],
  contacts: [shell, 'src/modules/crm/contacts/ContactsScreen.tsx'],
  'api keys': [shell, 'src/modules/identity/ApiKeysScreen.tsx'],
  roles: [shell, 'src/modules/identity/RolesScreen.tsx'],
  'audit log': [shell, 'src/modules/identity/AuditScreen.tsx'],
  profile: [shell, 'src/modules/account/ProfileScreen.tsx'],
  channels: [shell, 'src/modules/channels/ChannelsScreen.tsx'],
  agents: [shell, 'src/modules/agents/AgentsScreen.tsx'],
  'sign-up': ['src/modules/account/SignUpScreen.tsx'],
  consent: ['src/modules/account/ConsentScreen.tsx'],
  regulations: [shell, 'src/modules/advisor/SearchScreen.tsx'],
  provision: [shell, 'src/modules/advisor/ProvisionScreen.tsx'],
  design: [shell, 'src/modules/design/DesignScreen.tsx'],
}

let over = false
for (const [name, keys] of Object.entries(screens)) {
  const files = firstLoad(keys)
  const script = packed(files, '.js')
  over ||= script > budget
  console.log(`${name.padEnd(16)} script ${(script / 1000).toFixed(1)} kB  style ${(packed(files, '.css') / 1000).toFixed(1)} kB  gzipped`)
}
if (over) {
  console.error(`over the budget of ${budget / 1000} kB of script`)
  process.exit(1)
}

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, expectAccessible, password, shoot, test } from './helpers'

const started: { child: ChildProcess; folder: string }[] = []

test.afterEach(async ({ page }) => {
  // The page is closed before its server, or it would report the loss.
  await page.close()
  for (const { child, folder } of started.splice(0)) {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill()) await ended
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Starts an empty installation for the first time; returns the link that it prints. */
async function start(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'konak-first-owner-'))
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KONAK_')))
  const args = ['serve', '--sign-up=closed', '--listen=127.0.0.1:0', '--private-listen=off', `--data=${folder}`, '--log-level=error']
  const child = spawn(process.env.KONAK_TEST_BIN ?? '', args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], env })
  started.push({ child, folder })
  // Output is read until the server ends: a server that cannot print would end, too.
  const link = await new Promise<string>((found, failed) => {
    let said = ''
    child.stdout.on('data', (part) => {
      said += String(part)
      const printed = /http:\S+\/first-owner#token=\S+(?=\s)/.exec(said)?.[0]
      if (printed) found(printed)
    })
    child.once('exit', () => failed(new Error(`the server ended after ${said}`)))
  })
  await expect.poll(() => fetch(`${new URL(link).origin}/readyz`).then((answer) => answer.ok, () => false), { timeout: 60_000 }).toBe(true)
  return link
}

const languages = [
  {
    locale: 'en-US',
    title: 'The first account',
    name: 'Your name',
    business: 'Name of your business',
    email: 'E-mail',
    password: 'Password',
    create: 'Create account',
    short: 'Use at least 15 characters.',
    weak: 'This is easy to guess.',
    done: 'Your account is ready',
    signIn: 'Sign in',
    workspace: 'Workspace: Firma A.Ş.',
    dead: 'This link no longer works',
    why: 'It works once, and only for an hour.',
    signUp: 'Create an account',
  },
  {
    locale: 'tr-TR',
    title: 'İlk hesap',
    name: 'Adınız',
    business: 'İşletmenizin adı',
    email: 'E-posta',
    password: 'Parola',
    create: 'Hesap oluştur',
    short: 'En az 15 karakter kullanın.',
    weak: 'Bu kolay tahmin edilir.',
    done: 'Hesabınız hazır',
    signIn: 'Oturum aç',
    workspace: 'Çalışma alanı: Firma A.Ş.',
    dead: 'Bu bağlantı artık çalışmıyor',
    why: 'Bağlantı bir kez ve bir saat boyunca çalışır.',
    signUp: 'Hesap oluştur',
  },
] as const

for (const words of languages) {
  test.describe(words.locale, () => {
    test.use({ locale: words.locale })

    test('the link of the first start opens the first account, once', async ({ page }) => {
      test.slow() // a separate server starts, which creates keys and hashes passwords
      const link = await start()
      const { origin } = new URL(link)
      const title = (name: string) => page.getByRole('heading', { level: 1, name })
      // From another page, because a change of only the part after # would load nothing.
      const open = async (address: string) => {
        await page.goto(`${origin}/sign-in`)
        await page.goto(address)
      }
      const fill = async (secret: string) => {
        await page.getByLabel(words.name).fill('Ayşe Demir')
        await page.getByLabel(words.business).fill('Firma A.Ş.')
        await page.getByLabel(words.email).fill('ayse@firma.example')
        await page.getByLabel(words.password, { exact: true }).fill(secret)
        await page.getByRole('button', { name: words.create }).click()
      }

      await test.step('a stranger finds no way in', async () => {
        await page.goto(`${origin}/sign-in`)
        await expect(page.getByRole('button', { name: words.signIn, exact: true })).toBeVisible()
        await expect(page.getByRole('link', { name: words.signUp })).toHaveCount(0)
      })

      await test.step('a link that nobody printed is refused', async () => {
        await page.goto(`${origin}/first-owner`)
        await expect(title(words.dead)).toBeVisible()
        await open(link.replace(/.{6}$/, 'wrong0'))
        await expect(title(words.title)).toBeVisible()
        await fill(password)
        await expect(title(words.dead)).toBeVisible()
        await expect(page.getByText(words.why)).toBeVisible()
        await expectAccessible(page)
      })

      await test.step('the link opens, and says what a password needs', async () => {
        await open(link)
        await expect(title(words.title)).toBeVisible()
        await expectAccessible(page)
        await shoot(page, `first-owner-${words.locale}`)
        await fill('short')
        await expect(page.getByText(words.short)).toBeVisible()
        await fill('firma firma firma')
        await expect(page.getByText(words.weak)).toBeVisible()
        await fill(password)
        await expect(title(words.done)).toBeVisible()
      })

      await test.step('the owner signs in', async () => {
        await page.getByRole('link', { name: words.signIn }).click()
        await page.getByLabel(words.email).fill('ayse@firma.example')
        await page.getByLabel(words.password, { exact: true }).fill(password)
        await page.getByRole('button', { name: words.signIn, exact: true }).click()
        await expect(page.getByRole('button', { name: words.workspace })).toBeVisible()
      })

      await test.step('the link works no second time', async () => {
        // The panel would notice that the session is gone and open the sign-in by itself.
        await page.goto(`${origin}/healthz`)
        await page.context().clearCookies()
        await open(link)
        await fill(password)
        await expect(title(words.dead)).toBeVisible()
        await expect(page.getByText(words.why)).toBeVisible()
      })
    })
  })
}

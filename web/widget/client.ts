/**
 * The widget's few API calls. The visitor's token is sent in a header: there are no cookies, and
 * nothing is in an address.
 */

export interface Words {
  title: string
  greeting: string
  away: string
}

export interface Config {
  name: string
  open: boolean
  opens_at: string | null
  /** Whether there are help articles to search. */
  articles: boolean
  look: {
    color: string
    position: 'left' | 'right'
    language: 'auto' | 'tr' | 'en'
    tr: Words
    en: Words
    prechat: { enabled: boolean; name_required: boolean; email_required: boolean; phone: boolean }
  }
}

export interface Article {
  title: string
  snippet: string
  url: string
}

export interface Session {
  token: string | null
  conversation_id: string | null
  state: 'open' | 'snoozed' | 'closed' | null
  ask_rating: boolean
  known: boolean
}

export interface Shared {
  id: string
  name: string
}

export interface Message {
  id: string
  files: Shared[]
  from: 'visitor' | 'agent' | 'bot'
  name: string
  body: string
  /** Whether the visitor is asked about this answer of the bot. */
  can_vote?: boolean
  /** The visitor's vote on it. */
  vote?: Vote | null
  created_at: string
}

export type Vote = 'up' | 'down'

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code)
  }
}

export class Client {
  token: string | null
  private readonly base: string
  private readonly place: string

  constructor(origin: string, key: string, language: string) {
    this.base = `${origin}/api/crm/widget/v1/${encodeURIComponent(key)}`
    this.place = `konak-widget:${key}`
    this.language = language
    this.token = this.remembered()
  }

  language: string

  /** A page may forbid its storage; the chat then lasts only as long as the page. */
  private remembered(): string | null {
    try {
      return localStorage.getItem(this.place)
    } catch {
      return null
    }
  }

  private remember(token: string): void {
    this.token = token
    try {
      localStorage.setItem(this.place, token)
    } catch {
      // see remembered
    }
  }

  private request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers: Record<string, string> = { 'Accept-Language': this.language }
    if (this.token) headers.Authorization = `Bearer ${this.token}`
    if (typeof init.body === 'string') headers['Content-Type'] = 'application/json'
    return fetch(this.base + path, { ...init, headers, credentials: 'omit', mode: 'cors', cache: 'no-store' })
  }

  private async ask<T>(path: string, body?: object): Promise<T> {
    const response = await this.request(path, body ? { method: 'POST', body: JSON.stringify(body) } : {})
    const answer = (await response.json()) as { data: T; error?: { code: string } }
    if (!response.ok) throw new Refusal(response.status, answer.error?.code ?? 'unknown')
    return answer.data
  }

  config(): Promise<Config> {
    return this.ask('/config')
  }

  articles(text: string): Promise<Article[]> {
    return this.ask(`/articles?q=${encodeURIComponent(text)}&language=${encodeURIComponent(this.language)}`)
  }

  async session(): Promise<Session> {
    const session = await this.ask<Session>('/session', { language: this.language, page: location.href.slice(0, 2000) })
    if (session.token) this.remember(session.token)
    return session
  }

  async messages(): Promise<Message[]> {
    return (await this.ask<Message[]>('/messages?limit=100')).reverse()
  }

  write(body: Record<string, string>): Promise<{ message: Message; session: Session }> {
    return this.ask('/messages', { ...body, page: location.href.slice(0, 2000) })
  }

  async attach(file: File): Promise<{ message: Message; session: Session }> {
    const response = await this.request(`/files?filename=${encodeURIComponent(file.name)}`, { method: 'POST', body: file })
    const answer = (await response.json()) as { data: { message: Message; session: Session }; error?: { code: string } }
    if (!response.ok) throw new Refusal(response.status, answer.error?.code ?? 'unknown')
    return answer.data
  }

  /** The token is not part of the address, so a file is fetched by script and then handed over. */
  async file(shared: Shared): Promise<Blob> {
    const response = await this.request(`/files/${shared.id}`)
    if (!response.ok) throw new Refusal(response.status, 'file')
    return response.blob()
  }

  typing(typing: boolean): void {
    this.ask('/typing', { typing }).catch(() => undefined)
  }

  /** Reports that the visitor has seen everything up to this message. */
  read(message: string): void {
    this.ask('/read', { message_id: message }).catch(() => undefined)
  }

  rate(rating: number): Promise<unknown> {
    return this.ask('/rating', { rating })
  }

  vote(id: string, rating: Vote): Promise<unknown> {
    return this.ask(`/messages/${id}/vote`, { rating })
  }

  /** Follows the conversation until the signal aborts or the connection ends. */
  async follow(signal: AbortSignal, ready: () => void, news: (kind: string, data: string) => void): Promise<void> {
    const response = await this.request('/stream', { signal })
    if (!response.ok || !response.body) throw new Refusal(response.status, 'stream')
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        if (block.startsWith(':')) {
          ready()
          continue
        }
        const field = (name: string) => block.split('\n').find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        news(field('event') ?? '', field('data') ?? '')
      }
    }
  }
}

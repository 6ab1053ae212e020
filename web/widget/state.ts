/** Returns a unique id. Unlike `crypto.randomUUID`, this also works on pages without TLS. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The line below the chat: short-lived news, or the failure to send a message until it is sent. */
export class Note {
  private news = ''
  private newsAreBad = false
  private failure = ''

  constructor(private readonly show: (text: string, bad: boolean) => void) {}

  say(news: string, bad = false): void {
    this.news = news
    this.newsAreBad = bad
    this.draw()
  }

  /** Shows that something was not sent; an empty text means that it was sent or given up. */
  fail(failure: string): void {
    this.failure = failure
    this.draw()
  }

  /** Removes this piece of news if it is still shown. */
  unsay(news: string): void {
    if (this.news === news) this.say('')
  }

  private draw(): void {
    this.show(this.failure || this.news, this.failure !== '' || this.newsAreBad)
  }
}

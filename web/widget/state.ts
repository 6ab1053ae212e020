/** An id that nobody else makes. `crypto.randomUUID` is missing on pages without TLS, this is not. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The line below the chat: news that pass, and before them what was not sent, until it is sent. */
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

  /** Says that something was not sent; an empty text says that it was, or that nobody wants it any more. */
  fail(failure: string): void {
    this.failure = failure
    this.draw()
  }

  /** Takes one piece of news back, whatever was said since. */
  unsay(news: string): void {
    if (this.news === news) this.say('')
  }

  private draw(): void {
    this.show(this.failure || this.news, this.failure !== '' || this.newsAreBad)
  }
}

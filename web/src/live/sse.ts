export interface StreamEvent {
  id: string | null
  type: string
  data: string
}

/**
 * Parses the event-stream format from text that arrives in pieces of any size. The browser's own
 * EventSource needs every event name in advance, and the panel refreshes on any event without
 * knowing them all.
 */
export class StreamParser {
  private rest = ''
  private data: string[] = []
  private type = ''
  private lastId: string | null = null

  push(chunk: string): StreamEvent[] {
    const events: StreamEvent[] = []
    const text = this.rest + chunk
    // A lone carriage return at the end may be the first half of a line end.
    const cut = text.endsWith('\r') ? text.length - 1 : text.length
    const lines = text.slice(0, cut).split(/\r\n|\r|\n/)
    this.rest = (lines.pop() ?? '') + text.slice(cut)
    for (const line of lines) {
      const event = this.line(line)
      if (event) events.push(event)
    }
    return events
  }

  private line(line: string): StreamEvent | null {
    if (line === '') return this.flush()
    if (line.startsWith(':')) return null
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') this.data.push(value)
    else if (name === 'event') this.type = value
    else if (name === 'id' && !value.includes('\0')) this.lastId = value
    return null
  }

  private flush(): StreamEvent | null {
    const event = this.data.length
      ? { id: this.lastId, type: this.type || 'message', data: this.data.join('\n') }
      : null
    this.data = []
    this.type = ''
    return event
  }
}

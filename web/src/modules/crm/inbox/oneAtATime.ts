/** So soon after the next conversation opened by itself, a press still means the one before. */
const oneMoment = 600

/** Whether a press deals with the conversation that is open, or is the second half of a double one. */
export function createOneAtATime() {
  let busyWith = ''
  let movedAt = 0
  return {
    /** False where the conversation is being dealt with already, or has only just opened. */
    begin(id: string): boolean {
      if (busyWith === id || Date.now() - movedAt < oneMoment) return false
      busyWith = id
      return true
    },
    end(): void {
      busyWith = ''
    },
    /** The next conversation opens by itself. */
    moveOn(): void {
      movedAt = Date.now()
    },
  }
}

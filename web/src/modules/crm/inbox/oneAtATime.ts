/**
 * Within this time after the next conversation opened automatically, a press is meant for the
 * previous one.
 */
const oneMoment = 600

/** Tells a press that is meant for the open conversation from the second half of a double press. */
export function createOneAtATime() {
  let busyWith = ''
  let movedAt = 0
  return {
    /** Returns false if the conversation is already being dealt with, or has only just opened. */
    begin(id: string): boolean {
      if (busyWith === id || Date.now() - movedAt < oneMoment) return false
      busyWith = id
      return true
    },
    end(): void {
      busyWith = ''
    },
    /** Records that the next conversation opens automatically. */
    moveOn(): void {
      movedAt = Date.now()
    },
  }
}

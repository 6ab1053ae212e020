type Task = () => Promise<unknown>

const tasks = new Set<Task>()

/** Registers what must still reach the server while the session lasts; gives back how to take it away again. */
export function beforeSignOut(task: Task): () => void {
  tasks.add(task)
  return () => void tasks.delete(task)
}

/** Runs all of them; one that fails holds nobody back. */
export async function runBeforeSignOut(): Promise<void> {
  await Promise.allSettled([...tasks].map((task) => task()))
}

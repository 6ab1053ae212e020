type Task = () => Promise<unknown>

const tasks = new Set<Task>()

/**
 * Registers a task that must reach the server before the session ends; returns a function that
 * unregisters it.
 */
export function beforeSignOut(task: Task): () => void {
  tasks.add(task)
  return () => void tasks.delete(task)
}

/** Runs all registered tasks; one that fails does not stop the sign-out. */
export async function runBeforeSignOut(): Promise<void> {
  await Promise.allSettled([...tasks].map((task) => task()))
}

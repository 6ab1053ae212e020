import { useEffect, useRef } from 'react'

/** The trimmed text of a form's field; absent and empty are the same. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** After a refusal, puts the focus on the first field at fault. */
export function useFocusOnError(error: unknown) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [error])
  return form
}

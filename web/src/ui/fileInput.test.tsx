// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Field } from './Field'
import { FileInput } from './FileInput'

afterEach(cleanup)

describe('a field for a file', () => {
  it('speaks our words, and says which file was chosen', async () => {
    const chosen = vi.fn()
    render(
      <Field label="CSV file" hint="At most 16 MB">
        <FileInput accept=".csv" onChange={chosen} />
      </Field>,
    )
    expect(screen.getByText('file.choose')).toBeTruthy()
    const file = new File(['a'], 'book.csv', { type: 'text/csv' })
    await userEvent.upload(screen.getByLabelText('CSV file'), file)
    expect(chosen).toHaveBeenCalledWith(file)
    expect(screen.getByText('book.csv')).toBeTruthy()
  })
})

import { useState } from 'react'
import { ApiError, offlineError } from '@/api/error'
import { errorText } from '@/api/message'
import { language } from '@/i18n'
import type { Item } from './conversations'

export type Attachment = Item['attachments'][number]

export interface Upload {
  key: number
  name: string
  /** From 0 to 1. */
  progress: number
  done: Attachment | null
  error: string | null
}

interface Answer {
  data: Attachment
}

/** The platform's fetch does not report upload progress; this does. */
function send(file: File, onProgress: (part: number) => void): { answer: Promise<Attachment>; abort: () => void } {
  const request = new XMLHttpRequest()
  const answer = new Promise<Attachment>((resolve, reject) => {
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total)
    request.onerror = () => reject(offlineError('network'))
    request.onload = () => {
      let body: unknown = null
      try {
        body = JSON.parse(request.responseText)
      } catch {
        // A body that is not an envelope becomes an unexpected error below.
      }
      if (request.status === 201 || request.status === 200) resolve((body as Answer).data)
      else reject(ApiError.from(new Response(null, { status: request.status }), body))
    }
  })
  request.open('POST', `/api/crm/v1/attachments?filename=${encodeURIComponent(file.name)}`)
  request.setRequestHeader('Content-Type', 'application/octet-stream')
  request.setRequestHeader('Accept-Language', language())
  request.send(file)
  return { answer, abort: () => request.abort() }
}

let lastKey = 0

function fromDraft(done: Attachment): Upload {
  lastKey += 1
  return { key: lastKey, name: done.name, progress: 1, done, error: null }
}

/** The files of a message being written; a draft restores the ones it had. */
export function useUploads(first: readonly Attachment[] = []) {
  const [uploads, setUploads] = useState<readonly Upload[]>(() => first.map(fromDraft))
  const [aborts] = useState(() => new Map<number, () => void>())

  function patch(key: number, change: Partial<Upload>) {
    setUploads((now) => now.map((upload) => (upload.key === key ? { ...upload, ...change } : upload)))
  }

  /**
   * Uploads files. A file that is refused stays in the list with the reason and is not uploaded.
   */
  function add(files: Iterable<File>, refuse: (file: File) => string | null) {
    for (const file of files) {
      lastKey += 1
      const key = lastKey
      const error = refuse(file)
      setUploads((now) => [...now, { key, name: file.name, progress: 0, done: null, error }])
      if (error) continue
      const { answer, abort } = send(file, (progress) => patch(key, { progress }))
      aborts.set(key, abort)
      answer.then(
        (done) => patch(key, { done, progress: 1 }),
        (error: unknown) => patch(key, { error: errorText(error) }),
      )
    }
  }

  function remove(key: number) {
    aborts.get(key)?.()
    setUploads((now) => now.filter((upload) => upload.key !== key))
  }

  return {
    uploads,
    add,
    remove,
    clear: () => setUploads([]),
    /** Puts back files that are already on the server. */
    restore: (files: readonly Attachment[]) => setUploads((now) => [...now, ...files.map(fromDraft)]),
    busy: uploads.some((upload) => !upload.done && !upload.error),
    done: uploads.flatMap((upload) => upload.done ?? []),
  }
}

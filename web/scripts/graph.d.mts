export interface Source {
  file: string
  name: string
  text: string
  now: string[]
  later: { file: string; sections: string[] }[]
}
export const src: string
export const baseSections: string[]
export function read(file: string): Source
export function walk(visit: (source: Source, sections: string[]) => void): void
export function screens(): Map<string, string[]>

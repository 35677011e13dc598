import type { Readable } from 'node:stream'
import type { Subject } from '@attestor/vision'
import type { Context } from 'koa'
import { z } from 'zod'
import type { JsonText } from '../schemas/json_text.ts'
import type { UncheckedImage } from '../verification/transactions/capture.ts'
import type { Session } from '../verification/transactions/session.ts'
import type { DocumentDeps, HttpDeps } from './deps.ts'

/** A body that costs more than others do. */
export interface LargeBody {
  readonly max_bytes: number
  /** Called before anything is read. @throws {ApiError} where the transaction asks for no such body */
  readonly admit: (session: Session) => void
}

/** A JSON object. A schema that depends on settings is a function of them. */
export interface JsonBody<T> {
  readonly media: 'json'
  readonly isRequired: boolean
  /** The body holds files. Absent: at most 64 KiB, from any caller. */
  readonly large?: LargeBody
  readonly schema: z.ZodType<T> | ((deps: DocumentDeps) => z.ZodType<T>)
}

/** `application/x-www-form-urlencoded`: the handler gets its text. */
export interface FormBody {
  readonly media: 'form'
  readonly schema: z.ZodType
  /** Absent: 16 KiB. */
  readonly max_bytes?: number
  /** Called before anything is read, once the path is known. It throws where no such body is awaited. */
  readonly admit?: (deps: HttpDeps, ctx: Context) => Promise<unknown>
}

/** The bytes of an image. */
export interface ImageBody {
  readonly media: 'image'
  readonly subject: Subject
}

export type RequestBody = JsonBody<unknown> | FormBody | ImageBody

/** The type of a body as its handler gets it. */
export type BodyIn<B> =
  B extends JsonBody<infer T> ? T : B extends FormBody ? string : B extends ImageBody ? UncheckedImage : undefined

/** A response with a JSON body of this shape. */
interface JsonResponse {
  readonly description: string
  readonly schema: z.ZodType
  readonly content?: undefined
}

/** A response whose body is not plain JSON, by its media types. */
interface ContentResponse {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema?: z.ZodType }>>
  readonly schema?: undefined
}

/** A response without a body. */
interface EmptyResponse {
  readonly description: string
  readonly content?: undefined
  readonly schema?: undefined
}

export type Responses = Readonly<Record<number, JsonResponse | ContentResponse | EmptyResponse>>

/** A body is written, never changed. */
type Written<T> = unknown extends T ? T : { readonly [K in keyof T]: Written<T[K]> }

/** The type of a response's body as its handler returns it. */
export type BodyOut<R> = R extends { readonly schema: infer S extends z.ZodType }
  ? { readonly body: Written<z.output<S>> | JsonText<Written<z.output<S>>> }
  : R extends { readonly content: object }
    ? { readonly body: Buffer | Readable | string; readonly type: string }
    : unknown

export function json<S extends z.ZodType>(description: string, schema: S) {
  return { description, schema }
}

export function jsonBody<T>(schema: JsonBody<T>['schema']): JsonBody<T> {
  return { media: 'json', isRequired: true, schema }
}

/** One that holds files, in base64. */
export function largeJsonBody<T>(large: LargeBody, schema: JsonBody<T>['schema']): JsonBody<T> {
  return { media: 'json', isRequired: true, large, schema }
}

/** No body at all means `{}`. */
export function optionalJsonBody<T>(schema: z.ZodType<T>): JsonBody<T> {
  return { media: 'json', isRequired: false, schema }
}

/** A body is not needed, and its members are ignored. */
export const unusedBody = optionalJsonBody(z.looseObject({}))

export function imageBody(subject: Subject): ImageBody {
  return { media: 'image', subject }
}

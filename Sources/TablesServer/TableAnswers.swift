import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OAuth
import Storage
import Tables
import TablesStore

/// Answers and refusals of the tables.
enum TableAnswers {
    /// JSON.
    static func json(_ status: HTTPResponse.Status, _ value: JSONValue, headers: HTTPFields = [:]) -> Response {
        var fields = headers
        fields[.contentType] = "application/json; charset=utf-8"
        return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: value.bytes)))
    }

    /// A row with its tag.
    static func row(_ status: HTTPResponse.Status, _ row: Row) -> Response {
        json(status, RowJSON.object(row), headers: [.eTag: row.version.entityTag])
    }

    /// Runs `body` and words what it refuses; 409 and 412 carry the row that is there.
    static func answering(
        _ context: HTTPContext,
        _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let problem as TableProblem {
            return refusal(.badRequest, problem.message, context, column: problem.column)
        } catch let error as TablesStoreError {
            return try answer(error, context)
        } catch let error as StoreError where [.busy, .limitExceeded, .full].contains(error.code) {
            context.logger.error("row not stored", metadata: ["error": "\(error)"])
            let message = error.code == .full ? "the server's disk is full" : "the server is busy"
            throw HTTPProblem(.serviceUnavailable, code: "busy", message: message, headers: [.retryAfter: "1"])
        }
    }

    /// A refusal as the clients of tables read it.
    static func refusal(
        _ status: HTTPResponse.Status,
        _ message: String,
        _ context: HTTPContext,
        column: String? = nil,
        ids: [RowID] = []
    ) -> Response {
        var members: [String: JSONValue] = [
            "code": .int(Int64(status.code)), "error": .string(message),
            "correlationId": .string(context.correlationID),
        ]
        members["column"] = column.map { .string($0) }
        if !ids.isEmpty { members["ids"] = .array(ids.map { .string($0.text) }) }
        return json(status, .object(members))
    }

    private static func answer(_ error: TablesStoreError, _ context: HTTPContext) throws -> Response {
        switch (error.code, error.row) {
        case (.exists, let row?), (.deleted, let row?): return Self.row(.conflict, row)
        case (.mismatch, let row?): return Self.row(.preconditionFailed, row)
        case (.ambiguous, _): return refusal(.conflict, "several rows have that text", context, ids: error.ids)
        case (.keyReused, _):
            return refusal(.unprocessableContent, "this Idempotency-Key was used for another row", context)
        case (.notFound, _): return refusal(.notFound, "The item does not exist", context)
        default: throw error
        }
    }
}

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
    /// The value of `x-zumo-server-version`.
    static let serverVersion = "tasksd-3.0.0"

    /// The header fields of every answer: caches must revalidate their copies (RFC 9111 §5.2.2.4).
    private static let common: HTTPFields = {
        var fields: HTTPFields = [.contentType: "application/json; charset=utf-8", .cacheControl: "no-cache"]
        for (name, value) in [("Expires", "0"), ("Pragma", "no-cache"), ("x-zumo-server-version", serverVersion)] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()

    /// Answers with JSON text.
    static func json(_ status: HTTPResponse.Status, _ bytes: [UInt8], headers: HTTPFields = [:]) -> Response {
        var fields = common
        fields.append(contentsOf: headers)
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Answers with a JSON value.
    static func json(_ status: HTTPResponse.Status, _ value: JSONValue, headers: HTTPFields = [:]) -> Response {
        json(status, value.bytes, headers: headers)
    }

    /// Answers with a row and its `ETag`.
    static func row(
        _ status: HTTPResponse.Status,
        _ row: TableRow,
        _ format: RowFormat,
        headers: HTTPFields = [:]
    ) -> Response {
        var fields = headers
        fields[.eTag] = row.version.entityTag
        return json(status, format.json(row), headers: fields)
    }

    /// Answers 304: the client has the current row (RFC 9110 §15.4.5).
    static func notModified(_ row: TableRow) -> Response {
        var fields = common
        fields[.contentType] = nil
        fields[.eTag] = row.version.entityTag
        return Response(status: .notModified, headers: fields)
    }

    /// Seconds after which a long query of somebody else, or another process with the database, has surely ended.
    static let busyWait = 5
    /// Seconds after which somebody may have made room on a full disk.
    static let fullWait = 60

    /// Answers 204 without a body.
    static func nothing() -> Response {
        var fields = common
        fields[.contentType] = nil
        return Response(status: .noContent, headers: fields)
    }

    /// Runs `body` and turns its errors into answers.
    ///
    /// - Parameters:
    ///   - context: The request's context.
    ///   - format: The format of the row in a 409 or 412; nil if no row is shown.
    ///   - body: Makes the answer.
    /// - Returns: The answer of `body`, or a refusal.
    /// - Throws: Errors that are not the client's.
    static func answering(
        _ context: HTTPContext,
        _ format: @autoclosure () -> RowFormat? = nil,
        _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let problem as TableProblem {
            TableRefusals.count("invalid_row")
            return refusal(.badRequest, problem.message, context, column: problem.column)
        } catch let problem as QueryProblem {
            TableRefusals.count("invalid_query")
            return refusal(.badRequest, problem.description, context, position: problem.position)
        } catch let error as TablesStoreError {
            return try answer(error, format(), context)
        } catch let error as StoreError where [.busy, .limitExceeded, .full].contains(error.code) {
            // A caller that asks for too much is told so; a full disk is the operator's to mend.
            let level: Logger.Level = error.code == .full ? .error : .info
            context.logger.log(level: level, "not done", metadata: ["error": "\(error)"])
            let message = error.code == .full ? "the server's disk is full" : "the server is busy"
            let wait = error.code == .full ? fullWait : busyWait
            throw HTTPProblem(.serviceUnavailable, code: "busy", message: message, headers: [.retryAfter: "\(wait)"])
        }
    }

    /// Answers with a refusal in the form that the tables' clients read.
    static func refusal(
        _ status: HTTPResponse.Status,
        _ message: String,
        _ context: HTTPContext,
        column: String? = nil,
        position: Int? = nil,
        ids: [RowID] = []
    ) -> Response {
        var members: [String: JSONValue] = [
            "code": .int(Int64(status.code)), "error": .string(message),
            "correlationId": .string(context.correlationID),
        ]
        members["column"] = column.map { .string($0) }
        members["position"] = position.map { .int(Int64($0)) }
        if !ids.isEmpty { members["ids"] = .array(ids.map { .string($0.text) }) }
        return json(status, .object(members))
    }

    /// Answers 404: the row does not exist or is somebody else's, which clients cannot tell apart.
    static func absent(_ context: HTTPContext) -> Response {
        TableRefusals.count(TablesStoreError(.notFound))
        return refusal(.notFound, "The item does not exist", context)
    }

    private static func answer(
        _ error: TablesStoreError,
        _ format: RowFormat?,
        _ context: HTTPContext
    ) throws -> Response {
        // A `notFound` is counted by its answer, and `changing` as the `busy` that it is answered with.
        if error.code != .notFound, error.code != .changing { TableRefusals.count(error) }
        switch (error.code, error.row, format) {
        case (.exists, let row?, let format?), (.deleted, let row?, let format?):
            return Self.row(.conflict, row, format)
        case (.mismatch, let row?, let format?): return Self.row(.preconditionFailed, row, format)
        case (.mismatch, nil, _):
            return refusal(.preconditionFailed, "there is no row yet that If-Match could mean", context)
        case (.ambiguous, _, _): return refusal(.conflict, "several rows have that text", context, ids: error.ids)
        case (.keyReused, _, _):
            return refusal(.unprocessableContent, "this Idempotency-Key was used for another row", context)
        case (.notFound, _, _): return absent(context)
        case (.forgotten, _, _):
            let message = "deletions since then are no longer known: read the table from the beginning"
            return refusal(.gone, message, context)
        case (.tooMany, _, _):
            let most = "\(TablesStore.maxDeletion) rows or \(TablesStore.maxPageLength / 1_048_576) MiB"
            let message = "more than \(most) match; nothing was deleted"
            return refusal(.badRequest, message, context)
        case (.noRoom, _, _):
            throw HTTPProblem(
                .serviceUnavailable,
                code: "busy",
                message: "too many answers wait to be read",
                headers: [.retryAfter: "\(busyWait)"]
            )
        case (.changing, _, _):
            let message = "the rows are being changed; nothing was deleted"
            throw HTTPProblem(.serviceUnavailable, code: "busy", message: message, headers: [.retryAfter: "1"])
        case (.tooLong, _, _):
            let most = TablesStore.maxRowLength / 1_048_576
            return refusal(.contentTooLarge, "the texts of a row may have \(most) MiB in all", context)
        case (.tooManyRows, _, _):
            let message = "as many rows are stored as one person may have; deleted ones count until they are forgotten"
            return refusal(.forbidden, message, context)
        case (.tooManyBytes, _, _):
            let message = "as much is stored as one person may have; deleted rows count until they are forgotten"
            return refusal(.forbidden, message, context)
        case (.tooCostly, _, _):
            return refusal(.badRequest, "the query takes more work than one request may; ask for less", context)
        case (.abandoned, _, _):
            let message = "the client closed its side of the connection before its long query ended"
            return refusal(.badRequest, message, context)
        case (.cannotUndelete, _, _):
            return refusal(.badRequest, "deleted rows of this table cannot be brought back", context)
        default: throw error
        }
    }
}

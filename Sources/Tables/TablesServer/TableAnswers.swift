import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import Logging
import NIOCore
import OAuth
import Storage
import Tables
import TablesStore

enum TableAnswers {
    /// The value of `x-zumo-server-version`.
    static let serverVersion = "tasksd-3.0.0"

    /// The header fields of all responses, which require caches to revalidate their copies (RFC 9111 §5.2.2.4).
    private static let common: HTTPFields = {
        var fields: HTTPFields = [.contentType: "application/json; charset=utf-8", .cacheControl: "no-cache"]
        for (name, value) in [("Expires", "0"), ("Pragma", "no-cache"), ("x-zumo-server-version", serverVersion)] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()

    static func json(_ status: HTTPResponse.Status, _ bytes: [UInt8], headers: HTTPFields = [:]) -> Response {
        var fields = common
        fields.append(contentsOf: headers)
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func json(_ status: HTTPResponse.Status, _ value: JSONValue, headers: HTTPFields = [:]) -> Response {
        json(status, value.bytes, headers: headers)
    }

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

    /// Returns a 304 response, which tells the client that its copy of the row is current (RFC 9110 §15.4.5).
    static func notModified(_ row: TableRow) -> Response {
        var fields = common
        fields[.contentType] = nil
        fields[.eTag] = row.version.entityTag
        return Response(status: .notModified, headers: fields)
    }

    /// The `Retry-After` value for a busy server, in seconds, after which other clients' long queries have ended.
    static let busyWait = 5
    /// The `Retry-After` value for a full disk, in seconds, which gives the operator time to free space.
    static let fullWait = 60

    static func nothing() -> Response {
        var fields = common
        fields[.contentType] = nil
        return Response(status: .noContent, headers: fields)
    }

    /// Runs `body` and turns errors that the client caused into responses.
    ///
    /// If `format` is not `nil`, a 409 or 412 response contains the stored row.
    static func answering(
        _ context: HTTPContext,
        _ format: @autoclosure () -> RowFormat? = nil,
        _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let problem as TableProblem {
            TableRefusals.count("invalid_row")
            return refusal(.badRequest, problem.said.text, context, column: problem.column)
        } catch let problem as RequestProblem {
            TableRefusals.count("invalid_row")
            return refusal(.badRequest, problem.text, context, column: problem.column)
        } catch let problem as QueryProblem {
            TableRefusals.count("invalid_query")
            return refusal(.badRequest, problem.said.text, context, position: problem.position)
        } catch let error as TablesStoreError {
            return try answer(error, format(), context)
        } catch let error as StoreError where [.busy, .limitExceeded, .full].contains(error.code) {
            // A full disk is logged as an error, because only the operator can fix it.
            let level: Logger.Level = error.code == .full ? .error : .info
            context.logger.log(level: level, "request failed", metadata: ["error": "\(error)"])
            throw error.code == .full
                ? busy(Text("tables.diskFull"), wait: fullWait) : busy(Text("tables.busy"), wait: busyWait)
        }
    }

    private static func busy(_ text: Text, wait: Int) -> HTTPProblem {
        HTTPProblem(.serviceUnavailable, code: "busy", text, headers: [.retryAfter: "\(wait)"])
    }

    static func refusal(
        _ status: HTTPResponse.Status,
        _ text: Text,
        _ context: HTTPContext,
        column: String? = nil,
        position: Int? = nil,
        ids: [RowID] = []
    ) -> Response {
        var members = text.members
        members["code"] = .int(Int64(status.code))
        members["error"] = .string(text.english)
        members["correlationId"] = .string(context.correlationID)
        members["column"] = column.map { .string($0) }
        members["position"] = position.map { .int(Int64($0)) }
        if !ids.isEmpty { members["ids"] = .array(ids.map { .string($0.text) }) }
        return json(status, .object(members))
    }

    /// Returns a 404 response, which does not distinguish a missing row from another user's row.
    static func absent(_ context: HTTPContext) -> Response {
        TableRefusals.count(TablesStoreError(.notFound))
        return refusal(.notFound, Text("tables.noRow"), context)
    }

    private static func answer(
        _ error: TablesStoreError,
        _ format: RowFormat?,
        _ context: HTTPContext
    ) throws -> Response {
        // `notFound` is counted where its response is created. `changing` is counted as `busy`, because the client
        // receives a `busy` error.
        if error.code != .notFound, error.code != .changing { TableRefusals.count(error) }
        switch (error.code, error.row, format) {
        case (.exists, let row?, let format?), (.deleted, let row?, let format?):
            return Self.row(.conflict, row, format)
        case (.mismatch, let row?, let format?): return Self.row(.preconditionFailed, row, format)
        case (.mismatch, nil, _):
            return refusal(.preconditionFailed, Text("tables.nothingToMatch"), context)
        case (.deleted, nil, _): return refusal(.gone, Text("tables.rowDeleted"), context)
        case (.ambiguous, _, _): return refusal(.conflict, Text("tables.ambiguous"), context, ids: error.ids)
        case (.keyReused, _, _):
            return refusal(.unprocessableContent, Text("tables.keyReused"), context)
        case (.notFound, _, _): return absent(context)
        case (.forgotten, _, _):
            return refusal(.gone, Text("tables.forgotten"), context)
        case (.tooMany, _, _):
            let (rows, mebibytes) = (TablesStore.maxDeletion, TablesStore.maxPageLength / 1_048_576)
            return refusal(.badRequest, Text("tables.tooMany", ["rows": rows, "mebibytes": mebibytes]), context)
        case (.noRoom, _, _):
            throw busy(Text("tables.noRoom"), wait: busyWait)
        case (.changing, _, _):
            throw busy(Text("tables.changing"), wait: 1)
        case (.tooLong, _, _):
            let most = TablesStore.maxRowLength / 1_048_576
            return refusal(.contentTooLarge, Text("tables.tooLong", ["mebibytes": most]), context)
        case (.tooManyRows, _, _):
            return refusal(.forbidden, Text("tables.tooManyRows"), context)
        case (.tooManyBytes, _, _):
            return refusal(.forbidden, Text("tables.tooManyBytes"), context)
        case (.tooCostly, _, _):
            return refusal(.badRequest, Text("tables.tooCostly"), context)
        case (.abandoned, _, _):
            return refusal(.badRequest, Text("tables.abandoned"), context)
        case (.cannotUndelete, _, _):
            return refusal(.badRequest, Text("tables.cannotUndelete"), context)
        default: throw error
        }
    }
}

import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

/// A hook that replaces the script of `paramsTestTable` in the client's end-to-end suite as far as possible.
///
/// The hook writes the parameters of an insert or update into the row.
enum ParametersHook {
    /// Returns a router with the hook's only route.
    static func router() -> Router<HTTPContext> {
        let router = Router(context: HTTPContext.self)
        router.post("/") { request, _ in
            answer(try StrictJSON.parse(try await request.body.collect(upTo: 65_536).readableBytesView))
        }
        return router
    }

    private static func answer(_ question: JSONValue) -> Response {
        let parameters = question["parameters"] ?? .object([:])
        if parameters["refuse"] != nil { return json(400, ["status": 400, "userMessage": "The hook says no."]) }
        var changes: [String: JSONValue] = ["version": "1.0.0", "action": "Continue"]
        let operation = question["operation"]?.string
        if operation == "insert" || operation == "update" { changes["parameters"] = .string(parameters.text) }
        return json(200, .object(changes))
    }

    private static func json(_ status: Int, _ value: JSONValue) -> Response {
        Response(
            status: .init(code: status),
            headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: value.bytes))
        )
    }
}

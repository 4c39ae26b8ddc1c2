import OAuth
import Tables

/// A request and the answer it got, which every failure to understand that answer shows.
struct Exchanged: Sendable {
    let request: TablesRequest
    let response: TablesResponse

    /// A failure that shows both.
    func failure(_ code: TablesError.Code, _ message: String, column: String? = nil) -> TablesError {
        var error = TablesError(code, message)
        error.column = column
        return completed(error)
    }

    /// The value that `read` makes of the body's JSON.
    func read<Value>(_ read: (JSONValue) throws(TablesError) -> Value) throws(TablesError) -> Value {
        guard let json = response.json else { throw failure(.malformedAnswer, "the API's answer is not JSON") }
        do throws(TablesError) {
            return try read(json)
        } catch {
            throw completed(error)
        }
    }

    /// The row that the body is.
    func row() throws(TablesError) -> RemoteRow {
        try read { json throws(TablesError) in try RemoteRow(json: json, entityTag: response.headers["ETag"]) }
    }

    /// The list that the body is, or holds as `results` or `items`.
    func list<Item>(_ item: (JSONValue) throws(TablesError) -> Item) throws(TablesError) -> [Item] {
        try read { json throws(TablesError) in
            guard let list = json.array ?? json["results"]?.array ?? json["items"]?.array else {
                throw TablesError(.malformedAnswer, "the API's answer is not a list")
            }
            return try list.map(item)
        }
    }

    private func completed(_ error: TablesError) -> TablesError {
        var error = error
        error.correlationID = response.correlationID ?? request.correlationID
        error.status = response.status
        error.request = request
        error.response = response
        return error
    }
}

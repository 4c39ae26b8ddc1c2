import OAuth
import OutgoingHTTP
import Tables

struct Exchanged: Sendable {
    let request: TablesRequest
    let response: TablesResponse
    /// The id of the requested row, or `nil` if the request does not name a row.
    var id: RowID?

    func failure(_ code: TablesError.Code, _ reason: TablesError.Reason) -> TablesError {
        completed(TablesError(code, reason))
    }

    /// Parses the body of a 200 or 201 response as JSON, and converts the JSON value with `read`.
    func read<Value>(_ read: (JSONValue) throws(TablesError) -> Value) throws(TablesError) -> Value {
        guard response.status == 200 || response.status == 201 else { throw unexpectedStatus }
        guard let json = response.json else { throw failure(.malformedAnswer, .notJSON) }
        do throws(TablesError) {
            return try read(json)
        } catch {
            throw completed(error)
        }
    }

    func row() throws(TablesError) -> RemoteRow {
        try readRow { json throws(TablesError) in try RemoteRow(json: json, entityTag: response.headers["ETag"]) }
    }

    /// Parses the body, which must be the requested row, as JSON, and converts the JSON value with `read`.
    func readRow<Value>(_ read: (JSONValue) throws(TablesError) -> Value) throws(TablesError) -> Value {
        try self.read { json throws(TablesError) in
            guard isAbout(json) else {
                throw TablesError(.malformedAnswer, .otherRow)
            }
            return try read(json)
        }
    }

    /// Checks that the response to a deletion is an empty 200 or 204, or a 200 that contains the deleted row.
    ///
    /// Any other response, such as a captive portal's page, does not come from the API.
    func requireDeletion() throws(TablesError) {
        switch response.status {
        case 200 where response.body.isEmpty, 204 where response.body.isEmpty: return
        case 200: _ = try row()
        default: throw unexpectedStatus
        }
    }

    /// Checks that the status is 200 or 204, and that the body is not an HTML page, which the API never sends.
    func requireDone() throws(TablesError) {
        switch response.status {
        case 200, 204:
            guard !OutgoingHTTP.isPage(response.body) else {
                throw failure(.malformedAnswer, .browserPage)
            }
        default: throw unexpectedStatus
        }
    }

    private var unexpectedStatus: TablesError {
        failure(.malformedAnswer, .unexpectedStatus(response.status, method: request.method.rawValue))
    }

    /// Returns whether a JSON object is the requested row, ignoring the case of ids because a server can change it.
    private func isAbout(_ json: JSONValue) -> Bool {
        guard json.object != nil else { return false }
        guard let id else { return true }
        let answered = json["id"]?.string ?? json["id"]?.int.map { RowID(number: $0).text }
        return answered?.lowercased() == id.text.lowercased()
    }

    /// Converts each element of the array in the body, or in the body's member `results` or `items`, with `item`.
    func list<Item>(_ item: (JSONValue) throws(TablesError) -> Item) throws(TablesError) -> [Item] {
        try read { json throws(TablesError) in
            guard let list = json.array ?? json["results"]?.array ?? json["items"]?.array else {
                throw TablesError(.malformedAnswer, .notAList)
            }
            return try list.map(item)
        }
    }

    func completed(_ error: TablesError) -> TablesError {
        var error = error
        error.correlationID = response.correlationID ?? request.correlationID
        error.status = response.status
        error.request = request
        error.response = response
        return error
    }
}

import OAuth
import OutgoingHTTP
import Tables

/// A request and the answer it got, which every failure to understand that answer shows.
struct Exchanged: Sendable {
    let request: TablesRequest
    let response: TablesResponse
    /// The row that was asked about; nil if the request named none.
    var id: RowID?

    /// A failure that shows both.
    func failure(_ code: TablesError.Code, _ reason: TablesError.Reason) -> TablesError {
        completed(TablesError(code, reason))
    }

    /// The value that `read` makes of the body's JSON.
    ///
    /// - Throws: ``TablesError/Code/malformedAnswer`` for another status than 200 and 201, and for what is not JSON.
    func read<Value>(_ read: (JSONValue) throws(TablesError) -> Value) throws(TablesError) -> Value {
        guard response.status == 200 || response.status == 201 else { throw unexpectedStatus }
        guard let json = response.json else { throw failure(.malformedAnswer, .notJSON) }
        do throws(TablesError) {
            return try read(json)
        } catch {
            throw completed(error)
        }
    }

    /// The row that the body is.
    func row() throws(TablesError) -> RemoteRow {
        try readRow { json throws(TablesError) in try RemoteRow(json: json, entityTag: response.headers["ETag"]) }
    }

    /// The value that `read` makes of the JSON of a row, which must be the one that was asked about.
    func readRow<Value>(_ read: (JSONValue) throws(TablesError) -> Value) throws(TablesError) -> Value {
        try self.read { json throws(TablesError) in
            guard isAbout(json) else {
                throw TablesError(.malformedAnswer, .otherRow)
            }
            return try read(json)
        }
    }

    /// Requires that a row was deleted: the answer is empty (204 or 200), or it is the deleted row.
    ///
    /// Any other answer, such as the page of a captive portal, comes from something else than the API.
    func requireDeletion() throws(TablesError) {
        switch response.status {
        case 200 where response.body.isEmpty, 204 where response.body.isEmpty: return
        case 200: _ = try row()
        default: throw unexpectedStatus
        }
    }

    /// Requires that what was asked for is done, whatever the answer says of it; a page for browsers says nothing.
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

    /// Whether an object is the row that was asked about; servers may spell its id in another case.
    private func isAbout(_ json: JSONValue) -> Bool {
        guard json.object != nil else { return false }
        guard let id else { return true }
        let answered = json["id"]?.string ?? json["id"]?.int.map { RowID(number: $0).text }
        return answered?.lowercased() == id.text.lowercased()
    }

    /// The list that the body is, or holds as `results` or `items`.
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

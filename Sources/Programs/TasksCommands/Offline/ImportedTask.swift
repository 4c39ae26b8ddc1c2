import FlowModel
import OAuth
import OfflineTables
import Tables
import TablesClient
import Terminal

struct ImportedTask: Sendable {
    /// The line or element of the file from which the task was read, for messages.
    let place: Text
    private(set) var id: RowID?
    private(set) var values: [String: TableValue] = [:]
    /// Sentences about the parts of the file's line or element that the task cannot contain.
    private(set) var reports: [Text] = []

    /// The edit that was saved from a damaged store, or `nil` for an ordinary task.
    var saved: SavedEdit?

    init(place: Text) {
        self.place = place
    }

    var isDeletion: Bool { saved.map { !$0.kind.leavesRow } ?? false }

    /// Returns the new values for a stored task, or `nil` if the new values would overwrite another device's change.
    func changes(of row: RemoteRow, in table: SyncTable) -> [String: TableValue]? {
        let new: [String: TableValue]? = if let saved { table.changes(of: saved, over: row) } else { values }
        return new?.filter { row[$0.key] ?? .null != $0.value }
    }

    /// Returns a sentence for each value of a stored task that `values` replaces, except null and false.
    ///
    /// A saved edit replaces the values that the user saw when making the edit, so it has no such sentences.
    func replacements(in row: RemoteRow, by values: [String: TableValue]) -> [Text] {
        guard saved == nil else { return [] }
        return TaskFormat.columns.compactMap { column in
            guard values[column] != nil, let old = row[column], old != .boolean(false), let value = old.json.content
            else { return nil }
            let names: [String: any TextParameter] = [
                "place": place, "column": column, "id": row.id.text, "old": value,
            ]
            return Text("cli.tasks.valueReplaced", names)
        }
    }

    /// Returns the sentence about a stored task that the import deleted.
    func deletion(of row: RemoteRow) -> Text {
        Text("cli.tasks.importDeleted", ["place": place, "id": row.id.text, "text": row["text"]?.string ?? ""])
    }

    mutating func report(_ sentence: Text) {
        reports.append(sentence)
    }

    /// Sets the columns to the members of a JSON object, and reports the members that are not columns.
    mutating func set(_ members: [String: JSONValue]) throws(CommandFailure) {
        for column in TaskFormat.columns {
            switch members[column] {
            case nil, .null?: continue
            case .string(let text)?: try set(column, text)
            case let value?: try set(column, value.text)
            }
        }
        let others = members.filter { name, value in
            value != .null && !TaskFormat.columns.contains(name) && !Self.isSystem(name, value)
        }
        guard !others.isEmpty else { return }
        let names = others.keys.sorted().map { PlainText.excerpt($0) }.joined(separator: ", ")
        report(Text("cli.tasks.membersSkipped", ["place": place, "names": names]))
    }

    /// Whether a member is one that ``TodoItem/json`` adds to the columns, without a meaning for an import.
    private static func isSystem(_ name: String, _ value: JSONValue) -> Bool {
        if name == "deleted" { return value == .bool(false) }
        return name == "sync" || TableDeclaration.systemColumns.contains(name.lowercased())
    }

    /// Sets a column that has no value yet, and returns whether `text` is a value for it.
    mutating func accepts(_ column: String, _ text: String) -> Bool {
        guard column == "id" ? id == nil : values[column] == nil else { return false }
        do throws(CommandFailure) {
            try set(column, text)
            return true
        } catch {
            return false
        }
    }

    mutating func set(_ column: String, _ text: String) throws(CommandFailure) {
        switch column {
        case "id":
            guard let id = RowID(text) else {
                throw TaskFormat.unreadable(Text("cli.tasks.impossibleID", ["place": place]))
            }
            self.id = id
        case "complete":
            guard let truth = Bool(text.lowercased()) else {
                throw TaskFormat.unreadable(Text("cli.tasks.notTruth", ["column": column, "place": place]))
            }
            values[column] = .boolean(truth)
        case "due":
            guard let time = TableDate.milliseconds(text) ?? TableDate.milliseconds("\(text)T00:00:00.000Z") else {
                throw TaskFormat.unreadable(Text("cli.tasks.notDate", ["column": column, "place": place]))
            }
            values[column] = .date(time)
        case "priority", "duration":
            guard let number = Double(text), number.isFinite else {
                throw TaskFormat.unreadable(Text("cli.tasks.notNumber", ["column": column, "place": place]))
            }
            values[column] = .number(number)
        default: values[column] = .string(text)
        }
    }

    /// Returns this task, or throws a failure if the file contains no text for the task.
    ///
    /// A blank text is valid only with an id, because an export of stored tasks can contain such texts.
    func complete() throws(CommandFailure) -> ImportedTask {
        guard let text = values["text"]?.string, id != nil || !text.allSatisfy(\.isWhitespace) else {
            throw TaskFormat.unreadable(Text("cli.tasks.noText", ["place": place]))
        }
        return self
    }
}

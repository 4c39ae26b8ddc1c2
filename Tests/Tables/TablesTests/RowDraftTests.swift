import Tables
import Testing

@Suite(.timeLimit(.minutes(2)))
struct RowDraftTests {
    @Test("an insert gets the defaults, and names are case-insensitive") func defaults() throws {
        let table = try TableDeclaration.todoitem
        let members: [String: TableValue] = ["TEXT": .string("milk"), "Complete": .boolean(true), "ID": .string("a")]
        let draft = try RowDraft.insert(members, into: table) { _ in .null }
        #expect(draft.id == RowID("a"))
        #expect(draft.values["text"] == .string("milk"))
        #expect(draft.values["complete"] == .boolean(true))
        #expect(draft.values["due"] == .null)
        let plain = try RowDraft.insert(["text": .string("x")], into: table) { _ in .null }
        #expect(plain.values["complete"] == .boolean(false))
    }

    @Test("an update contains only the sent columns, and the version that it is based on") func update() throws {
        let members: [String: TableValue] = ["notes": .null, "version": .string("v")]
        let draft = try RowDraft.update(members, of: try .todoitem)
        #expect(draft.values == ["notes": .null])
        #expect(draft.version == RowVersion("v"))
    }

    @Test("a replacement has a value for each column that the client can set") func replacement() throws {
        var table = try TableDeclaration.todoitem
        let draft = try RowDraft.replacement(["text": .string("x"), "notes": .string("y")], of: table)
        #expect(Set(draft.values.keys) == Set(table.columns.map(\.name)) && draft.values["notes"] == .string("y"))
        #expect(draft.values["complete"] == .boolean(false) && draft.values["due"] == .null)
        #expect(throws: TableProblem.self) { try RowDraft.replacement(["notes": .string("y")], of: table) }
        var stamp = TableColumn("stamp", .date)
        stamp.source = .now
        table = try TableDeclaration("note", columns: [TableColumn("text", .string), stamp])
        #expect(try RowDraft.replacement([:], of: table).values == ["text": .null])
        #expect(throws: TableProblem.self) { try RowDraft.replacement(["stamp": .date(0)], of: table) }
    }

    @Test(
        "each violated rule is named with its column",
        arguments: [
            (["complete": .boolean(true)], "text", "required"),
            (["text": .null], "text", "required"),
            (["text": .number(1)], "text", "string"),
            (["text": .string(String(repeating: "x", count: 4097))], "text", "4096"),
            (["text": .string("e" + String(repeating: "\u{301}", count: 4096))], "text", "4096"),
            (["text": .string("x"), "priority": .number(4)], "priority", "1, 2, 3"),
            (["text": .string("x"), "due": .string("soon")], "due", "date"),
            (["text": .string("x"), "due": .string("0001-01-01T00:00:00+01:00")], "due", "a year from 1 to 9999"),
            (["text": .string("x"), "due": .string("9999-12-31T23:59:59-01:00")], "due", "a year from 1 to 9999"),
            (["text": .string("x"), "due": .date(.max)], "due", "a year from 1 to 9999"),
            (["text": .string("x"), "notes": .string(String(repeating: "x", count: 1_000_001))], "notes", "1000000"),
            (["text": .string("x"), "completed": .boolean(true)], "completed", "did you mean 'complete'?"),
            (["text": .string("x"), "zzzz": .null], "zzzz", "no column"),
            (["text": .string("x"), "updatedAt": .string("x")], "updatedAt", "reserved"),
            (["text": .string("x"), "DELETED": .boolean(false)], "DELETED", "reserved"),
            (["text": .string("x"), "id": .number(1)], "id", "string"),
            (["text": .string("x"), "id": .string("a/b")], "id", "character"),
            (["text": .string("x"), "Text": .string("y")], "text", "repeated"),
        ] as [([String: TableValue], String, String)]
    )
    func broken(_ members: [String: TableValue], _ column: String, _ words: String) throws {
        let table = try TableDeclaration.todoitem
        let error = #expect(throws: TableProblem.self) { try RowDraft.insert(members, into: table) { _ in .null } }
        #expect(error?.column == column)
        #expect(error?.message.contains(words) == true)
    }

    @Test("numbers, read-only columns, server columns and a table's own message are checked") func rules() throws {
        var age = TableColumn("age", .number)
        age.min = 1
        age.max = 9
        age.message = "How old?"
        var by = TableColumn("by", .string)
        by.source = .oid
        var seen = TableColumn("seen", .boolean)
        seen.isReadOnly = true
        let table = try TableDeclaration("people", columns: [age, by, seen])
        for bad in [0.0, 9.5] {
            let error = #expect(throws: TableProblem.self) { try RowDraft.update(["age": .number(bad)], of: table) }
            #expect(error?.message == "How old?")
        }
        for (name, value) in ["seen": TableValue.boolean(true), "by": .string("me")] {
            #expect(throws: TableProblem(.readOnlyColumn(name), column: name)) {
                try RowDraft.update([name: value], of: table)
            }
        }
        let draft = try RowDraft.insert(["age": .number(2)], into: table) { _ in .string("the caller") }
        #expect(draft.values["by"] == .string("the caller"))
        #expect(draft.sent == ["age"])
    }

    @Test(
        "table and column names are words, not reserved, and unique",
        arguments: [["id"], ["Deleted"], ["a", "A"], [""], ["a b"], ["1a"], ["__x"], ["MS_version"], ["a\""]]
    )
    func names(_ names: [String]) {
        let error = #expect(throws: TableProblem.self) {
            try TableDeclaration("t", columns: names.map { TableColumn($0, .string) })
        }
        #expect(error?.column == names.last)
    }
}

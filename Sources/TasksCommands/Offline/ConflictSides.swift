import OAuth
import Tables
import TablesClient
import Terminal

/// Both sides of a conflict, column by column.
struct ConflictSides: Sendable {
    private let mine: RemoteRow?
    private let theirs: RemoteRow?

    /// The sides; nil for one that deleted the row.
    init(mine: RemoteRow?, theirs: RemoteRow?) {
        self.mine = mine
        self.theirs = theirs.flatMap { $0.isDeleted ? nil : $0 }
    }

    /// An indent, the column, and the value of each side, of the columns in which they differ.
    var rows: [[String]] {
        let names = Set((mine?.values ?? [:]).keys).union((theirs?.values ?? [:]).keys)
        var rows = names.sorted().filter { mine?[$0] ?? .null != theirs?[$0] ?? .null }.map { name in
            ["", name, Self.text(mine?[name]), Self.text(theirs?[name])]
        }
        if mine == nil || theirs == nil {
            rows.insert(["", "", mine == nil ? "(deleted)" : "", theirs == nil ? "(deleted)" : ""], at: 0)
        }
        return rows
    }

    private static func text(_ value: TableValue?) -> String {
        switch value?.json {
        case nil, .null?: ""
        case .string(let text)?: PlainText.excerpt(text)
        case let value?: value.text
        }
    }
}

import Tables
import TablesClient

/// The last row's id in a list ordered by id, because an offset would skip rows after concurrent changes.
struct PagePlace: Hashable {
    private var last: RowID?
    /// The number of rows that were received since `last` was set.
    private(set) var skip = 0

    var behind: QueryExpression? {
        last.map { id in
            .compare(.greater, .column("id"), .literal(id.number.map { .integer($0) } ?? .string(id.text)))
        }
    }

    /// Moves the position to the end of a page, counting only rows for which `isOrdered` returns `true`.
    mutating func advance(over rows: [RemoteRow], where isOrdered: (RemoteRow) -> Bool) {
        guard let id = rows.last(where: isOrdered)?.id, id != last else {
            skip += rows.count
            return
        }
        last = id
        skip = 0
    }
}

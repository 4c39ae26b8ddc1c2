import Tables
import TablesClient

/// The position of a pull in a list of rows that is ordered by id.
///
/// The position is the last row's id. An offset would skip rows if earlier rows changed or disappeared during the pull.
struct PagePlace: Hashable {
    private var last: RowID?
    /// The number of rows that were received since `last` was set.
    private(set) var skip = 0

    var behind: QueryExpression? {
        last.map { id in
            .compare(.greater, .column("id"), .literal(id.number.map { .integer($0) } ?? .string(id.text)))
        }
    }

    /// Moves the position to the end of a page.
    ///
    /// `isOrdered` returns whether a row is part of the list that is ordered by id.
    mutating func advance(over rows: [RemoteRow], where isOrdered: (RemoteRow) -> Bool) {
        guard let id = rows.last(where: isOrdered)?.id, id != last else {
            skip += rows.count
            return
        }
        last = id
        skip = 0
    }
}

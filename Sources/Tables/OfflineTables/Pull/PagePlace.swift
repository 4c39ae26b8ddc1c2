import Tables
import TablesClient

/// The position of a pull in a list of rows that is ordered by id.
///
/// The position is the id of the last received row, because with an offset, concurrent changes could cause gaps.
struct PagePlace: Hashable {
    private var last: RowID?
    /// The number of rows that were received since `last` was set.
    private(set) var skip = 0

    var behind: QueryExpression? {
        last.map { id in
            .compare(.greater, .column("id"), .literal(id.number.map { .integer($0) } ?? .string(id.text)))
        }
    }

    /// Moves the position to the page's last row for which `isOrdered` is `true`, or increases `skip` if there is none.
    mutating func advance(over rows: [RemoteRow], where isOrdered: (RemoteRow) -> Bool) {
        guard let id = rows.last(where: isOrdered)?.id, id != last else {
            skip += rows.count
            return
        }
        last = id
        skip = 0
    }
}

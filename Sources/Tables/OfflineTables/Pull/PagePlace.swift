import Tables
import TablesClient

/// The place in a list ordered by id up to which its pages have come.
///
/// It names the last row itself and not a number of rows, since a number passes rows by when earlier ones change or go
/// meanwhile.
struct PagePlace: Hashable {
    /// The last row that came; nil at the beginning.
    private var last: RowID?
    /// Rows behind the last one that have come, too: those that a server orders in no way that can be named.
    private(set) var skip = 0

    /// The condition of the rows behind the last one; nil at the beginning.
    var behind: QueryExpression? {
        last.map { id in
            .compare(.greater, .column("id"), .literal(id.number.map { .integer($0) } ?? .string(id.text)))
        }
    }

    /// Goes on behind a page.
    ///
    /// - Parameters:
    ///   - rows: The page.
    ///   - isOrdered: True for rows that the order by id holds for.
    mutating func advance(over rows: [RemoteRow], where isOrdered: (RemoteRow) -> Bool) {
        guard let id = rows.last(where: isOrdered)?.id, id != last else {
            skip += rows.count
            return
        }
        last = id
        skip = 0
    }
}

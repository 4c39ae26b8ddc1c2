import Tables
import TablesClient

/// The position of a pull in a list ordered by id.
///
/// It stores the last row's id instead of an offset, because an offset would skip rows if earlier rows changed or
/// disappeared during the pull.
struct PagePlace: Hashable {
    /// The id of the last received row, or `nil` at the beginning.
    private var last: RowID?
    /// The number of rows received after `last` that have no usable position in the order by id.
    private(set) var skip = 0

    /// The condition for the rows after `last`, or `nil` at the beginning.
    var behind: QueryExpression? {
        last.map { id in
            .compare(.greater, .column("id"), .literal(id.number.map { .integer($0) } ?? .string(id.text)))
        }
    }

    /// Moves the position to the end of a page.
    ///
    /// - Parameters:
    ///   - rows: The rows of the page.
    ///   - isOrdered: Returns whether the order by id applies to a row.
    mutating func advance(over rows: [RemoteRow], where isOrdered: (RemoteRow) -> Bool) {
        guard let id = rows.last(where: isOrdered)?.id, id != last else {
            skip += rows.count
            return
        }
        last = id
        skip = 0
    }
}

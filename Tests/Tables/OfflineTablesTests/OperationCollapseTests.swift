import Tables
import TestSupport
import Testing

@testable import OfflineTables

@Suite("§2.1: the effect of a new change on the pending operation", .timeLimit(.minutes(1)))
struct OperationCollapseTests {
    private static let id = RowID.random()

    private func pending(_ kind: TableOperation.Kind, _ state: TableOperation.State = .pending) -> TableOperation {
        var operation = TableOperation(kind, of: Self.id, in: "todoitem")
        operation.state = state
        return operation
    }

    @Test(
        "a first change becomes a new operation",
        arguments: TableOperation.Kind.allCases
    ) func first(_ kind: TableOperation.Kind) throws {
        #expect(try OperationCollapse.change(kind, after: nil) == .add)
    }

    @Test(
        "changes collapse as in the table of the guide",
        arguments: [
            (TableOperation.Kind.insert, TableOperation.Kind.update, OperationCollapse.Change.keep),
            (.insert, .delete, .remove), (.update, .update, .keep), (.update, .delete, .becomeDelete),
            (.delete, .delete, .nothing),
        ]
    ) func table(_ before: TableOperation.Kind, _ after: TableOperation.Kind, _ change: OperationCollapse.Change) throws
    {
        #expect(try OperationCollapse.change(after, after: pending(before)) == change)
    }

    @Test(
        "a change behind an operation in flight becomes a new operation",
        arguments: [(TableOperation.Kind.insert, TableOperation.Kind.update), (.insert, .delete), (.update, .update)]
    ) func inFlight(_ before: TableOperation.Kind, _ after: TableOperation.Kind) throws {
        #expect(try OperationCollapse.change(after, after: pending(before, .inFlight)) == .add)
    }

    @Test("a deletion after an attempted insert becomes a deletion that is sent") func attempted() throws {
        #expect(try OperationCollapse.change(.delete, after: pending(.insert, .attempted)) == .becomeDelete)
    }

    @Test("an update after an attempted update waits behind it") func attemptedUpdate() throws {
        #expect(try OperationCollapse.change(.update, after: pending(.update, .attempted)) == .add)
    }

    @Test(
        "a change that cannot follow is rejected, in flight or not",
        arguments: [
            (TableOperation.Kind.insert, TableOperation.Kind.insert), (.update, .insert), (.delete, .insert),
            (.delete, .update),
        ],
        TableOperation.State.allCases
    ) func refused(_ kinds: (TableOperation.Kind, TableOperation.Kind), _ state: TableOperation.State) {
        let error = #expect(throws: SyncError.self) {
            try OperationCollapse.change(kinds.1, after: pending(kinds.0, state))
        }
        #expect(error?.code == .syncActionInvalid)
    }

    @Test(
        "§2.2: a rejection collapses the rejected operation with the next one",
        arguments: [
            (TableOperation.Kind.delete, TableOperation.Kind.update, OperationCollapse.Refusal.keepBoth),
            (.update, .delete, .becomeDelete), (.insert, .delete, .removeBoth), (.insert, .update, .removeSecond),
            (.update, .update, .removeSecond),
        ]
    ) func refusal(
        _ first: TableOperation.Kind,
        _ second: TableOperation.Kind,
        _ expected: OperationCollapse.Refusal
    ) {
        #expect(OperationCollapse.refusal(of: first, before: second) == expected)
    }
}

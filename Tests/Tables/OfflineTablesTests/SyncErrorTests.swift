import FlowModel
import Foundation
import Localization
import OAuth
import Storage
import Tables
import Testing

@testable import OfflineTables
@testable import TablesClient

@Suite(.timeLimit(.minutes(1)))
struct SyncErrorTests {
    private static let reasons: [SyncError.Reason] = [
        .noRow(RowID(number: 7)), .exists, .pendingOperation, .row(.wrongType("<x>", .string)), .noTable("<x>"), .noAPI,
        .pendingOperations, .otherRow, .rowUnknown, .operationGone, .operationChanged, .pushCancelled, .noToken,
        .refused(1), .refused(2), .storeFailed(EnglishText(exactly: "<x>")), .pullCancelled, .pullWithSelection,
        .pullWithCount, .pullWithDeleted, .pullWithOrder, .pullWithTop, .pullWithSkip, .invalidQueryID("<x>"),
        .othersSync, .justMoved, .valueDamaged, .rowMissing, .keyMissing(path: "<x>"), .rowDamaged(path: "<x>"),
    ]

    @Test("every error of offline tables has an English and a German message", arguments: reasons)
    func sentences(_ reason: SyncError.Reason) {
        let error = SyncError(.localStore, reason)
        let german = error.said.text.words(in: .german)
        #expect(error.message == error.said.text.english && error.description == error.message)
        #expect(error.said.text.isInCatalog && german != error.message)
        #expect(error.message.contains("<x>") == german.contains("<x>"), "\(german)")
        #expect(StoreError(.failed, reason).said == error.said)
    }

    @Test("a push that the store or the API aborts gives the reason in both languages") func causes() {
        let full = StoreError(.full, .diskFull("/store"))
        let failed = SyncError(.pushAbortedLocalStore, .storeFailed(EnglishText(of: full)), underlying: full)
        #expect(
            failed.message
                == "The local store failed: The disk is full. /store was not changed. Free some space and try again."
        )
        #expect(
            failed.said.text.words(in: .german)
                == "Der lokale Speicher hat einen Fehler: Die Festplatte ist voll. /store wurde nicht geändert. Schaffen Sie Platz und versuchen Sie es noch einmal."
        )
        let unreachable = SyncError(.pushAbortedNetwork, TablesError(.unreachable, .unreachable))
        #expect(unreachable.said.text == Text("failure.api.unreachable"))
        #expect(unreachable.underlying is TablesError)
    }

    @Test("a stored rejection reads back with its key and parameters") func kept() throws {
        let operation = TableOperation(.insert, of: .random(), in: "todoitem")
        let refused = TablesError(.refused, EnglishText("'text' is required", Text("row.missing", ["name": "text"])))
        let plain = TablesError(.refused, EnglishText(exactly: "no"))
        for (error, keys) in [(refused, ["key", "parameters"]), (plain, [])] {
            let record = TableOperationError(error, of: operation, serverItem: nil)
            let members = try #require(record.properties.object)
            #expect(members.keys.filter { ["key", "parameters"].contains($0) }.sorted() == keys)
            let json = try StrictJSON.parse(record.properties.bytes)
            let again = TableOperationError(id: record.id, operationID: record.operationID, properties: json)
            #expect(again == record && again?.said == error.said)
        }
        let record = TableOperationError(refused, of: operation, serverItem: nil)
        #expect(record.description == "'text' is required")
        #expect(record.said.text.words(in: .german) == "'text' fehlt")
    }
}

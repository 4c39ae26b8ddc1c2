import FlowModel
import Foundation
import Localization
import OAuth
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1)))
struct StoreErrorTests {
    private static let reasons: [StoreError.Reason] = [
        .cannotOpen("<x>", why: "<y>"), .cannotMake("<x>", why: "<y>"), .cannotMakePrivate("<x>", why: "<y>"),
        .cannotRead("<x>", why: "<y>"), .cannotReadOrWrite("<x>", why: "<y>"), .cannotWrite("<x>", why: "<y>"),
        .cannotWriteIn("<x>", why: "<y>"), .cannotLock("<x>", why: "<y>"), .cannotMove("<x>", why: "<y>"),
        .cannotRename("<x>", why: "<y>"), .cannotRemove("<x>", why: "<y>"), .cannotSetAside("<x>", why: "<y>"),
        .notADirectory("<x>"), .notAFile("<x>"), .exists("<x>"), .foreignOwner("<x>", owner: 7, uid: 8),
        .openDirectory("<x>"), .openFile("<x>"), .tooManyBytes("<x>", most: 7), .notADatabase("<x>"),
        .foreignDatabase("<x>"), .unknownSchema("<x>"), .olderSchema("<x>", version: 7),
        .newerSchema("<x>", version: 8, newest: 7), .wrongKey("<x>", expected: "<y>", found: "<z>"),
        .damagedKeyCheck("<x>"), .closed("<x>"), .busy("<x>"), .diskFull("<x>"), .sizeLimit("<x>"), .readOnly("<x>"),
        .volatile("<x>"), .damaged("<x>"), .noKey("<x>"), .alteredKey("<x>", .blank),
        .alteredKey("<x>", .byteOrderMark), .alteredKey("<x>", .otherEncoding), .alteredKey("<x>", .carriageReturn),
        .alteredKey("<x>", .quotationMarks), .inUse("<x>", by: 7), .inUse("<x>", by: nil), .noSeal("<x>"),
        .changedBackup("<x>"), .newerBackup("<x>"), .earlierRestore("<x>"), .damagedPart("<x>", what: "<y>"),
        .damagedValue("<x>", column: "<y>", row: "<z>", table: "<u>"), .damagedRow("<x>", table: "<y>"),
        .damagedRows("<x>", most: 7),
        .wrongRow("<x>"),
    ]

    @Test("every failure of a store's file is described in English and in German", arguments: reasons)
    func sentences(_ reason: StoreError.Reason) {
        let error = StoreError(.failed, reason)
        let german = error.said.text.words(in: .german)
        #expect(error.message == error.said.text.english && error.description == error.message)
        #expect(error.said.text.isInCatalog && german != error.message)
        let values = error.message.matches(of: /<.>/).map { String($0.output) }
        #expect(values.allSatisfy { german.contains($0) }, "\(german)")
    }

    @Test(
        "the system's error number determines the code, and its description follows the sentence",
        arguments: [
            (ENOSPC, StoreError.Code.full), (EDQUOT, .full), (EFBIG, .full), (EROFS, .readOnly), (EACCES, .permissions),
            (EPERM, .permissions), (ENOENT, .unreadable),
        ]
    )
    func system(_ number: CInt, _ code: StoreError.Code) {
        let error = StoreError.fromErrno(number) { .cannotOpen("/x", why: $0) }
        #expect(error.code == code)
        #expect(error.message == "Cannot open /x: \(String(cString: strerror(number)))")
    }

    @Test("a sentence that appears only in a daemon's log is English in every language") func plain() {
        let error = StoreError(.corrupt, "a list in a row is not JSON", retryAfterMs: 7)
        #expect(error.said.text.words(in: .german) == "a list in a row is not JSON" && error.retryAfterMs == 7)
    }
}

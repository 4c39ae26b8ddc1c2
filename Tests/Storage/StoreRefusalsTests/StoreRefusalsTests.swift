import FlowModel
import Localization
import Storage
import StoreRefusals
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StoreRefusalsTests {
    private let notes = StoreRefusals(
        of: Text(exactly: "the notes' store"),
        absent: Refusal(.flowNotFound, Text(exactly: "there is no such note")),
        crowded: Refusal(.limitExceeded, Text(exactly: "there are too many notes")).with(.limit, "notes")
    )

    @Test(
        "every fault of a store is one refusal, with its cause for the log",
        arguments: [
            (.notFound, .flowNotFound), (.limitExceeded, .limitExceeded), (.busy, .limitExceeded),
            (.consumed, .interactionRequired), (.expired, .interactionRequired), (.signedOut, .interactionRequired),
            (.disabled, .interactionRequired), (.locked, .locked), (.full, .storageFailed),
            (.readOnly, .storageFailed), (.wrongKey, .storageFailed), (.missingKey, .storageFailed),
            (.olderSchema, .storageFailed), (.newerSchema, .storageFailed), (.inUse, .storageFailed),
            (.unreadable, .storageFailed),
            (.permissions, .storageFailed), (.corrupt, .storageFailed), (.conflict, .storageFailed),
            (.nameTaken, .storageFailed), (.stale, .storageFailed), (.failed, .storageFailed),
        ] as [(StoreError.Code, Refusal.Reason)]
    )
    func faults(_ code: StoreError.Code, _ reason: Refusal.Reason) async {
        let refusal = await #expect(throws: Refusal.self) {
            try await notes.storing { throw StoreError(code, "row 7 of /var/lib/notes") }
        }
        #expect(refusal?.reason == reason)
        #expect(refusal?.detail == "row 7 of /var/lib/notes")
        #expect(refusal?.message.contains("/var/lib") == false)
        #expect((refusal?.retryAfterMs != nil) == (code == .busy))
        #expect((refusal?.facts[.limit] == "notes") == (code == .limitExceeded))
    }

    @Test(
        "a sentence about a store names it in the language of the sentence",
        arguments: [
            (
                StoreError.Code.busy, "The service is temporarily busy: the token cache is in use. Try again shortly.",
                "Der Dienst ist vorübergehend ausgelastet: der Token-Zwischenspeicher wird gerade benutzt. Versuchen Sie es gleich noch einmal."
            ),
            (
                .readOnly,
                "The service cannot write to the token cache, which is read-only. Nothing was changed. Ask an operator to check the disk.",
                "Ein Teil des Dienstes ist schreibgeschützt: der Token-Zwischenspeicher. Es wurde nichts geändert. Bitten Sie einen Betreiber, den Datenträger zu prüfen."
            ),
            (
                .corrupt,
                "The service could not use the token cache. Nothing was changed. Ask an operator to check the log.",
                "Ein Teil des Dienstes hat einen Fehler: der Token-Zwischenspeicher. Es wurde nichts geändert. Bitten Sie einen Betreiber, das Protokoll zu prüfen."
            ),
            (
                .locked, "The token cache is locked. Run `tokenbroker unlock`.",
                "Der Token-Zwischenspeicher ist gesperrt. Rufen Sie `tokenbroker unlock` auf."
            ),
        ]
    )
    func names(_ code: StoreError.Code, _ english: String, _ german: String) {
        let none = Refusal(.accountNotFound, Text("refusal.noSuchAccount"))
        let text = StoreRefusals(of: Text("refusal.store.cache"), absent: none, crowded: none)
            .refusal(StoreError(code, "row 7")).text
        #expect(text.english == english && text.words(in: .german) == german)
    }

    @Test("a limit that says when to retry passes this on to the caller") func room() async {
        let refusal = await #expect(throws: Refusal.self) {
            try await notes.storing { throw StoreError(.limitExceeded, "64 rows", retryAfterMs: 4_500) }
        }
        #expect(refusal?.retryAfterMs == 4_500 && refusal?.facts[.limit] == "notes")
    }

    @Test("an error that is not a fault of the store is passed on unchanged") func others() async throws {
        #expect(try await notes.storing { 7 } == 7)
        let refusal = await #expect(throws: Refusal.self) {
            try await notes.storing { throw Refusal(.blocked, Text(exactly: "wait")) }
        }
        #expect(refusal == Refusal(.blocked, Text(exactly: "wait")))
    }
}

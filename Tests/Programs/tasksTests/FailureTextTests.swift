import FlowModel
import Localization
import Storage
import Terminal
import Testing

@testable import TablesClient
@testable import TasksCommands

/// What `tasks` says of the errors of its libraries and of the API.
@Suite(.timeLimit(.minutes(1)))
struct FailureTextTests {
    private func german(_ error: TablesError) throws -> String {
        CommandFailure(error, try APIAddress("https://api.example")).text.words(in: .german)
    }

    @Test("a refusal of the API is said by its key, and as it came where the catalogs lack that") func refusals() throws
    {
        let words = "words of the API"
        for (text, german) in [
            (Text("row.missing", ["name": "text"]), "'text' ist nötig"), (Text("row.newer", ["name": "text"]), words),
            (Text("row.missing"), words), (Text(exactly: words), words),
        ] {
            #expect(try self.german(TablesError(.refused, EnglishText(words, text))) == german)
        }
    }

    @Test("an API that is not reached is named with its address") func unreachable() throws {
        #expect(
            try german(TablesError(.unreachable, .unreachable))
                == "die API ist nicht zu erreichen: https://api.example"
        )
        #expect(
            try german(TablesError(.timedOut, .tooSlow))
                == "die API hat nicht rechtzeitig geantwortet: https://api.example"
        )
    }

    @Test("a failure of the store names its file in the language of the sentence") func store() {
        let failure = CommandFailure(StoreError(.busy, .busy("/store")))
        #expect(failure.status == .tryLater && failure.reason == "storage_failed")
        #expect(failure.message == "another process holds /store for too long")
        #expect(failure.text.words(in: .german) == "ein anderer Prozess hält /store zu lange")
    }
}

import BrokerAPI
import FlowModel
import Localization
import NIOCore
import Testing

@testable import BrokerClient

@Suite(.timeLimit(.minutes(1)))
struct ClientErrorTests {
    private static let reasons: [ClientError.Reason] = [
        .noBroker([.init("<x>", SocketAddressError.unixDomainSocketPathTooLong)]),
        .noBroker([.init("<x>", IOError(errnoCode: 2, reason: "connect")), .init("/y", CancellationError())]),
        .noBroker([.init("<x>", IOError(errnoCode: 2, reason: "connect"))], lacksRuntimeDirectory: true),
        .foreignServer(path: "<x>", uid: 7), .endedEarly, .tooSlow, .notAResponse, .flowBegun,
        .unreadable(UnreadableAnswer("<x>")), .noTurn, .handlerStuck, .noHandler(step: "<x>"), .stepTooSlow("<x>"),
        .flow(.failed(.blocked)), .flow(.failed(.denied)), .flow(.failed(.wrongUser)), .flow(.failed(.userCancelled)),
        .flow(.cancelled), .flow(.failed(.expired)), .flow(.expired), .flow(.failed(.providerFailed)),
        .flow(.challenge),
    ]

    @Test("every failure of the broker client has an English and a German message", arguments: reasons)
    func sentences(_ reason: ClientError.Reason) {
        let error = ClientError(.unreachable, reason)
        let german = error.said.text.words(in: .german)
        #expect(error.description == error.said.text.english)
        #expect(error.said.text.isInCatalog && german != error.description)
        #expect(error.description.contains("<x>") == german.contains("<x>"), "\(german)")
    }

    @Test("the socket paths without a broker are listed in both languages, each with its reason") func places() {
        let error = ClientError(
            .unreachable,
            .noBroker([
                .init("/a", SocketAddressError.unixDomainSocketPathTooLong),
                .init("/b", IOError(errnoCode: 2, reason: "connect")),
            ])
        )
        #expect(
            error.description == """
                The broker does not respond on its socket (/a: the path exceeds 107 bytes, the limit for a socket; \
                /b: connect: No such file or directory). \
                Start tokenbrokerd, or run `tokenbroker doctor`.
                """
        )
        #expect(
            error.said.text.words(in: .german) == """
                Am Socket antwortet kein Dienst (/a: der Pfad ist länger als 107 Bytes, die Grenze für einen Socket; \
                /b: connect: No such file or directory). \
                Starten Sie tokenbrokerd, oder rufen Sie `tokenbroker doctor` auf.
                """
        )
    }

    @Test("without a runtime directory, the message names the variables that specify the socket") func variables() {
        let places = [ClientError.Reason.Place("/a", IOError(errnoCode: 2, reason: "connect"))]
        let error = ClientError(.unreachable, .noBroker(places, lacksRuntimeDirectory: true))
        for text in [error.description, error.said.text.words(in: .german)] {
            #expect(text.contains("XDG_RUNTIME_DIR") && text.contains("TOKENBROKER_SOCKET"), "\(text)")
        }
        #expect(error.lacksRuntimeDirectory && !ClientError(.unreachable, .noBroker(places)).lacksRuntimeDirectory)
    }

    @Test("the sentence of a service that ended a flow is shown unchanged") func stated() {
        let error = ClientError(.flowEnded, .stated("Your account is suspended."))
        #expect(error.said == EnglishText(exactly: "Your account is suspended."))
    }
}

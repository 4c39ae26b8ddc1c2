import BrokerAPI
import FlowModel
import NIOCore
import Systemd

extension ClientError {
    /// What went wrong on this side of the socket, or ended a flow.
    enum Reason: Hashable, Sendable {
        // The connection.
        case noBroker([Place])
        case foreignServer(path: String, uid: UInt32)
        case endedEarly, tooSlow

        // An answer.
        case notAResponse, flowBegun
        case unusable(EnglishText)

        // A flow and its steps.
        case noTurn, handlerStuck
        case noHandler(step: String)
        case stepTooSlow(String)
        case flow(FlowState)
        /// The sentence with which the broker ended the flow.
        case stated(String)

        /// A path at which no broker answers, and why.
        struct Place: Hashable, Sendable {
            let path: String
            let why: EnglishText
        }
    }
}

extension ClientError.Reason {
    /// The reason for which an answer cannot be read.
    static func unreadable(_ error: any Error) -> Self {
        guard let error = error as? UnreadableAnswer else { return .unusable(EnglishText(of: error)) }
        return .unusable(
            EnglishText(
                "the broker's answer has no usable member \(error.member)",
                Text("failure.broker.memberMissing", ["member": error.member])
            )
        )
    }

    /// The sentence, in English and as a text.
    var said: EnglishText {
        switch self {
        case .noBroker(let places):
            EnglishText(
                "no broker answers at its socket (\(places.map(\.english).joined(separator: "; "))); is tokenbrokerd running?",
                Text("failure.broker.noBroker", ["places": Text.list(places.map(\.text), .semicolon)])
            )
        case .foreignServer(let path, let uid):
            EnglishText(
                "the server at \(path) runs as uid \(uid), which is neither this user nor the service; nothing was sent",
                Text("failure.broker.foreignServer", ["path": path, "uid": uid])
            )
        case .endedEarly:
            EnglishText(
                "the broker ended the connection before it answered",
                Text("failure.broker.endedEarly")
            )
        case .tooSlow: EnglishText("the broker did not answer in time", Text("failure.broker.tooSlow"))

        case .notAResponse:
            EnglishText("the broker's answer is no JSON-RPC response", Text("failure.broker.notAResponse"))
        case .flowBegun:
            EnglishText("the broker began a flow though it was asked not to", Text("failure.broker.flowBegun"))
        case .unusable(let why): why

        case .noTurn: EnglishText("other prompts took every turn", Text("failure.broker.noTurn"))
        case .handlerStuck: EnglishText("a handler did not return", Text("failure.broker.handlerStuck"))
        case .noHandler(let step):
            EnglishText("nobody here can answer the step \(step)", Text("failure.broker.noHandler", ["step": step]))
        case .stepTooSlow(let step):
            EnglishText(
                "the step \(step) was not answered before it ended",
                Text("failure.broker.stepTooSlow", ["step": step])
            )
        case .flow(.failed(.blocked)):
            EnglishText("there were too many wrong answers; try again later", Text("failure.broker.blocked"))
        case .flow(.failed(.denied)): EnglishText("the broker denied it", Text("failure.broker.denied"))
        case .flow(.failed(.wrongUser)):
            EnglishText("somebody else than the required user signed in", Text("failure.broker.wrongUser"))
        case .flow(.failed(.userCancelled)), .flow(.cancelled):
            EnglishText("it was cancelled", Text("failure.broker.cancelled"))
        case .flow(.failed(.expired)), .flow(.expired):
            EnglishText("its time ended", Text("failure.broker.expired"))
        case .flow(.failed(let reason)):
            EnglishText(
                "it failed (\(reason.rawValue))",
                Text("failure.broker.failed", ["reason": reason.rawValue])
            )
        case .flow(.challenge), .flow(.pending), .flow(.succeeded):
            EnglishText("it has not ended", Text("failure.broker.notEnded"))
        case .stated(let sentence): EnglishText(exactly: sentence)
        }
    }
}

extension ClientError.Reason.Place {
    init(_ path: String, _ error: any Error) {
        self.path = path
        why =
            switch error {
            case SocketAddressError.unixDomainSocketPathTooLong:
                EnglishText(
                    "the path is longer than a socket's may be, 107 bytes",
                    Text("failure.broker.pathTooLong")
                )
            case let error as IOError: EnglishText(exactly: "\(SystemError("connect", error.errnoCode))")
            default: EnglishText(exactly: "\(error)")
            }
    }

    fileprivate var english: String { "\(path): \(why.english)" }
    fileprivate var text: Text { Text("failure.broker.place", ["path": path, "why": why.text]) }
}

import BrokerAPI
import FlowModel
import NIOCore
import Systemd

extension ClientError {
    enum Reason: Hashable, Sendable {
        case noBroker([Place], lacksRuntimeDirectory: Bool = false)
        case foreignServer(path: String, uid: UInt32)
        case endedEarly, tooSlow

        case notAResponse, flowBegun
        case unusable(EnglishText)

        case noTurn, handlerStuck
        case noHandler(step: String)
        case stepTooSlow(String)
        case flow(FlowState)
        /// The flow ended with the given error message from the broker.
        case stated(String)

        /// A socket path at which no broker responds, and the reason why it does not respond.
        struct Place: Hashable, Sendable {
            let path: String
            let why: EnglishText
        }
    }
}

extension ClientError.Reason {
    static func unreadable(_ error: any Error) -> Self {
        guard let error = error as? UnreadableAnswer else { return .unusable(EnglishText(of: error)) }
        return .unusable(
            EnglishText(
                "The broker's response has no valid member \(error.member). Make sure that the program and the daemon are the same version.",
                Text("failure.broker.memberMissing", ["member": error.member])
            )
        )
    }

    var said: EnglishText {
        switch self {
        case .noBroker(let places, lacksRuntimeDirectory: true):
            EnglishText(
                "The broker does not respond on its socket (\(places.map(\.english).joined(separator: "; "))). XDG_RUNTIME_DIR is not set to an absolute path. Start tokenbrokerd. If it is running, set XDG_RUNTIME_DIR as for the daemon, or set TOKENBROKER_SOCKET to the path of its socket.",
                Text("failure.broker.noBrokerInDefault", ["places": Text.list(places.map(\.text), .semicolon)])
            )
        case .noBroker(let places, lacksRuntimeDirectory: false):
            EnglishText(
                "The broker does not respond on its socket (\(places.map(\.english).joined(separator: "; "))). Start tokenbrokerd, or run `tokenbroker doctor`.",
                Text("failure.broker.noBroker", ["places": Text.list(places.map(\.text), .semicolon)])
            )
        case .foreignServer(let path, let uid):
            EnglishText(
                "The server at \(path) runs as uid \(uid), which is neither your uid nor the service's. Nothing was sent. Find out which process is listening there.",
                Text("failure.broker.foreignServer", ["path": path, "uid": uid])
            )
        case .endedEarly:
            EnglishText(
                "The broker closed the connection before it responded. Try again, or run `tokenbroker doctor`.",
                Text("failure.broker.endedEarly")
            )
        case .tooSlow:
            EnglishText(
                "The broker did not respond in time. Try again, or run `tokenbroker doctor`.",
                Text("failure.broker.tooSlow")
            )

        case .notAResponse:
            EnglishText(
                "The broker's response is not JSON-RPC. Check the socket path.",
                Text("failure.broker.notAResponse")
            )
        case .flowBegun:
            EnglishText("The broker started a flow although flows were not allowed.", Text("failure.broker.flowBegun"))
        case .unusable(let why): why

        case .noTurn:
            EnglishText(
                "The prompt could not be shown, because other prompts kept taking precedence. Try again.",
                Text("failure.broker.noTurn")
            )
        case .handlerStuck: EnglishText("A step handler did not finish in time.", Text("failure.broker.handlerStuck"))
        case .noHandler(let step):
            EnglishText(
                "There is no handler for the step \(step). Add one, or sign in with `tokenbroker sign-in`.",
                Text("failure.broker.noHandler", ["step": step])
            )
        case .stepTooSlow(let step):
            EnglishText(
                "The step \(step) expired before it received a response. Try again.",
                Text("failure.broker.stepTooSlow", ["step": step])
            )
        case .flow(.failed(.blocked)):
            EnglishText("There were too many failed attempts. Try again later.", Text("failure.broker.blocked"))
        case .flow(.failed(.denied)): EnglishText("The broker denied the request.", Text("failure.broker.denied"))
        case .flow(.failed(.wrongUser)):
            EnglishText(
                "The wrong user signed in. Sign in as the required user.",
                Text("failure.broker.wrongUser")
            )
        case .flow(.failed(.userCancelled)), .flow(.cancelled):
            EnglishText("The flow was cancelled.", Text("failure.broker.cancelled"))
        case .flow(.failed(.expired)), .flow(.expired):
            EnglishText("The flow expired. Try again.", Text("failure.broker.expired"))
        case .flow(.failed(let reason)):
            EnglishText(
                "The flow failed (\(reason.rawValue)). Try again.",
                Text("failure.broker.failed", ["reason": reason.rawValue])
            )
        case .flow(.challenge), .flow(.pending), .flow(.succeeded):
            EnglishText("The flow has not ended yet.", Text("failure.broker.notEnded"))
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
                    "the path exceeds 107 bytes, the limit for a socket",
                    Text("failure.broker.pathTooLong")
                )
            case let error as IOError: EnglishText(exactly: "\(SystemError("connect", error.errnoCode))")
            default: EnglishText(exactly: "\(error)")
            }
    }

    fileprivate var english: String { "\(path): \(why.english)" }
    fileprivate var text: Text { Text("failure.broker.place", ["path": path, "why": why.text]) }
}

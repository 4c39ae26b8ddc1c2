public import FlowModel
import Synchronization

/// The subscription of one program to ``TokenEvent``s; it ends when nobody holds it any more.
public final class TokenSubscription: Sendable {
    /// Takes one event, without waiting.
    public typealias Tell = @Sendable (TokenEvent) -> Void

    private enum Phase {
        /// The program has not been told yet that it is subscribed.
        case waiting([TokenEvent])
        case telling(Tell)
    }

    /// The greatest number of events that wait for the beginning; later ones are lost.
    private static let mostWaiting = 64

    private let account: String?
    private let ended: @Sendable () -> Void
    private let phase = Mutex(Phase.waiting([]))

    init(account: String?, ended: @escaping @Sendable () -> Void) {
        self.account = account
        self.ended = ended
    }

    deinit { ended() }

    /// Tells the program from now on, first of what has happened since it subscribed.
    public func begin(_ tell: @escaping Tell) {
        phase.withLock { phase in
            if case .waiting(let events) = phase {
                for event in events { tell(event) }
            }
            phase = .telling(tell)
        }
    }

    func tell(_ event: TokenEvent) {
        guard account == nil || account == event.account else { return }
        phase.withLock { phase in
            switch phase {
            case .waiting(let events):
                if events.count < Self.mostWaiting { phase = .waiting(events + [event]) }
            case .telling(let tell): tell(event)
            }
        }
    }
}

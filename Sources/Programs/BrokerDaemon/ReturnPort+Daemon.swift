import Flows
import HTTPServer
import NIOCore

extension ReturnPort {
    /// Opens ports of this daemon.
    static func opening(_ returns: LoopbackReturns) -> Open {
        { address, state, life throws(Unavailable) in
            do throws(ListenError) {
                let opened = try returns.open(address, state: state, life: TimeAmount(life))
                return ReturnPort(number: opened.number, close: opened.close)
            } catch {
                throw Unavailable(isInUse: error.code == .inUse, reason: error.description)
            }
        }
    }
}

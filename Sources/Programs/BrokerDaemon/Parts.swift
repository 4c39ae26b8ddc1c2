import Administration
import Authority
import AuthorityWeb
import Broker
import CustomIdentity
import Deliveries
import Flows
import Moments
import OpenIDClient

/// Parts that the daemon's listeners call.
struct Parts: Sendable {
    let clock: MomentClock
    let stores: Stores
    let mails: MailDispatcher
    let openID: OpenIDClient
    let outside: OutsideCalls
    let logouts: LogoutDispatcher
    let authority: Authority
    let flows: FlowDirectory
    let broker: Broker
    let browsers: BrowserFlows
    let administration: Administration
    let measures: Measures
}

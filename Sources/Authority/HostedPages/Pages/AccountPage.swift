public import Foundation
import Localization
import OAuth

/// The account page, on which a user sees and removes linked accounts, sessions, devices and consents.
public struct AccountPage: Sendable {
    /// A browser in which the user is signed in.
    public struct Session: Hashable, Sendable {
        /// The form value that identifies the session.
        public let id: String
        /// The name of the browser, such as `Firefox on Debian`, or `nil` if the name is unknown.
        public let browser: String?
        /// When the user signed in.
        public let began: Date
        /// When the session was last used, or `nil` if the time is unknown.
        public let used: Date?
        /// Whether the session belongs to the browser that shows the page.
        public let isCurrent: Bool

        /// Creates the description of a session.
        public init(id: String, browser: String?, began: Date, used: Date?, isCurrent: Bool) {
            self.id = id
            self.browser = browser
            self.began = began
            self.used = used
            self.isCurrent = isCurrent
        }
    }

    /// A device or terminal that has the user's tokens.
    public struct Device: Hashable, Sendable {
        /// The form value that identifies the device or terminal.
        public let id: String
        /// The display name, such as a client's name or `ada on atlas`.
        public let name: String
        /// Whether this is a terminal and not a device.
        public let isTerminal: Bool
        /// When the device or terminal was connected.
        public let connected: Date

        /// Creates the description of a device or terminal.
        public init(id: String, name: String, isTerminal: Bool, connected: Date) {
            self.id = id
            self.name = name
            self.isTerminal = isTerminal
            self.connected = connected
        }
    }

    /// A client that the user gave consent to.
    public struct Consent: Hashable, Sendable {
        /// The client's id, which is also the form value.
        public let client: String
        /// The client's display name.
        public let name: String
        /// A description of each scope.
        public let scopes: [String]
        /// When the user gave consent.
        public let given: Date

        /// Creates the description of a consent.
        public init(client: String, name: String, scopes: [String], given: Date) {
            self.client = client
            self.name = name
            self.scopes = scopes
            self.given = given
        }
    }

    /// An external provider at which the user has linked an account or can link one.
    public struct Provider: Hashable, Sendable {
        /// The name in the configuration, which is also the form value.
        public let name: String
        /// The name to display on the page.
        public let displayName: String
        /// When the user linked an account, or `nil` if no account is linked.
        public let linked: Date?

        /// Creates the description of a provider.
        public init(name: String, displayName: String, linked: Date?) {
            self.name = name
            self.displayName = displayName
            self.linked = linked
        }
    }

    /// A change that was just made, which the page confirms.
    public enum Change: String, CaseIterable, Sendable {
        /// A session was ended.
        case sessionEnded
        /// A device was signed out.
        case deviceEnded
        /// A consent was revoked.
        case consentEnded
        /// All other sessions were ended.
        case everythingEnded
        /// The password was changed.
        case passwordChanged
        /// The profile was changed.
        case profileChanged
        /// An account at a provider was linked.
        case linked
        /// The link to an account at a provider was removed.
        case unlinked
    }

    /// The form for the page's buttons, which post ``PageForm/Field/endSession`` and similar fields.
    public let form: PageForm
    /// The user's display name.
    public let displayName: String
    /// The user's sign-in name.
    public let username: String
    /// The external providers, or an empty array to omit their section.
    public var providers: [Provider] = []
    /// The browsers in which the user is signed in.
    public var sessions: [Session] = []
    /// The devices and terminals that have the user's tokens.
    public var devices: [Device] = []
    /// The clients that the user gave consent to.
    public var consents: [Consent] = []
    /// The address for changing the password, or `nil` if the user cannot change the password.
    public var passwordAddress: String?
    /// The address for changing the profile, or `nil` if the user cannot change the profile.
    public var profileAddress: String?
    /// The change that was just made, or `nil` if there is none.
    public var change: Change?

    /// Creates a user's account page, with empty lists.
    public init(form: PageForm, displayName: String, username: String) {
        self.form = form
        self.displayName = displayName
        self.username = username
    }
}

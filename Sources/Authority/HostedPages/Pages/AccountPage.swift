public import Foundation
import Localization
import OAuth

/// A person's own page: accounts at providers, sessions, devices and consents, each with a button that ends it.
public struct AccountPage: Sendable {
    /// A browser in which the person is signed in.
    public struct Session: Hashable, Sendable {
        /// The word in the form.
        public let id: String
        /// The browser in words, such as `Firefox on Debian`; nil if it is not known.
        public let browser: String?
        /// The time of the sign-in.
        public let began: Date
        /// The time of the last use, if it is known.
        public let used: Date?
        /// True for the browser that shows this page.
        public let isCurrent: Bool

        /// A browser in which the person is signed in.
        public init(id: String, browser: String?, began: Date, used: Date?, isCurrent: Bool) {
            self.id = id
            self.browser = browser
            self.began = began
            self.used = used
            self.isCurrent = isCurrent
        }
    }

    /// A device or terminal that holds tokens of the person.
    public struct Device: Hashable, Sendable {
        /// The word in the form.
        public let id: String
        /// The name, such as a client's, or `ada on atlas`.
        public let name: String
        /// True for a program of a terminal.
        public let isTerminal: Bool
        /// The time at which it was connected.
        public let connected: Date

        /// A device or terminal that holds tokens of the person.
        public init(id: String, name: String, isTerminal: Bool, connected: Date) {
            self.id = id
            self.name = name
            self.isTerminal = isTerminal
            self.connected = connected
        }
    }

    /// A client that the person allowed to use the account.
    public struct Consent: Hashable, Sendable {
        /// The client's id, which is the word in the form.
        public let client: String
        /// The client's name.
        public let name: String
        /// Each scope in words.
        public let scopes: [String]
        /// The time of the consent.
        public let given: Date

        /// A client that the person allowed to use the account.
        public init(client: String, name: String, scopes: [String], given: Date) {
            self.client = client
            self.name = name
            self.scopes = scopes
            self.given = given
        }
    }

    /// A provider outside at which the person has an account that is linked, or could link one.
    public struct Provider: Hashable, Sendable {
        /// The name in the configuration, which is the word in the form.
        public let name: String
        /// The name for people.
        public let displayName: String
        /// The time since which an account is linked; nil if none is.
        public let linked: Date?

        /// A provider outside.
        public init(name: String, displayName: String, linked: Date?) {
            self.name = name
            self.displayName = displayName
            self.linked = linked
        }
    }

    /// A change that was made just now.
    public enum Change: String, CaseIterable, Sendable {
        /// A session has ended.
        case sessionEnded
        /// A device is signed out.
        case deviceEnded
        /// A consent was taken back.
        case consentEnded
        /// Every session but this one has ended.
        case everythingEnded
        /// The password is another one.
        case passwordChanged
        /// The profile has other values.
        case profileChanged
        /// An account at a provider is linked.
        case linked
        /// An account at a provider is linked no more.
        case unlinked
    }

    /// The form; its buttons post ``PageForm/Field/endSession`` and its like.
    public let form: PageForm
    /// The name to show.
    public let displayName: String
    /// The sign-in name.
    public let username: String
    /// The providers; the part is left out where there are none.
    public var providers: [Provider] = []
    /// The browsers in which the person is signed in.
    public var sessions: [Session] = []
    /// The devices and terminals that hold tokens.
    public var devices: [Device] = []
    /// The clients that the person allowed.
    public var consents: [Consent] = []
    /// The address at which the password is changed, if it can be.
    public var passwordAddress: String?
    /// The address at which the profile is changed, if it can be.
    public var profileAddress: String?
    /// A change that was made just now.
    public var change: Change?

    /// The page of a person; the lists are set beside.
    public init(form: PageForm, displayName: String, username: String) {
        self.form = form
        self.displayName = displayName
        self.username = username
    }
}

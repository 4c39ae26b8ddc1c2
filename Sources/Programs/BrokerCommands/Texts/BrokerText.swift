import Terminal

/// A sentence, or a heading, that `tokenbroker` says.
enum BrokerText: ScreenText, Hashable {
    // MARK: People

    case using(String)
    case account(String, policies: String)
    case policyHeading
    case kindHeading
    case nameHeading
    case issuerHeading
    case unavailable(String)
    case scopeHeading
    case scopesHeading
    case policiesHeading
    case usernameHeading
    case expiresHeading
    case clientHeading
    case daemon(version: String, seconds: Int64)
    case policies(String)
    case cacheLocked
    case cacheOpen
    case shortLived(seconds: Int64, wanted: Int64)
    case askedWithoutNoPrompt
    case askedInTerminal

    // MARK: Locks

    case locked
    case unlocked
    case isLocked
    case unlockOpens
    case forgotten
    case thePassphrase
    case newPassphrase
    case passphrase
    case again
    case notTheSame
    case noLine
    case passphraseLength(Int)
    case retry(seconds: Int64)

    // MARK: Credentials

    case pinSet
    case pinChanged
    case pinRemoved
    case authenticatorAdded
    case authenticatorRemoved
    case providerHeading
    case linkedHeading
    case providerLinked(String)
    case providerUnlinked(String)

    // MARK: Operators

    case userHeading
    case stateHeading
    case signInNamesHeading
    case enabled
    case disabled
    case groups(String)
    case invited(String, until: String)
    case deletedUser(String)
    case membersHeading
    case groupHeading
    case inGroup(user: String, group: String, count: Int64)
    case outOfGroup(user: String, group: String)
    case client(String)
    case typeHeading
    case fromHeading
    case noClient(String)
    case noPolicy(kinds: String)
    case clientsLists
    case cannotRemove(String)
    case fromProgram
    case fromFile
    case fromStore
    case removedClient(String)
    case publishedHeading
    case activeHeading
    case retiredHeading
    case timeHeading
    case eventHeading
    case detailHeading
    case copied(String, bytes: Int64, until: String)
    case listedBy(String)
    case listedByObjectID

    // MARK: Backups

    case cannotLookAtSocket(String)
    case isThere(String)
    case nameAnotherFile
    case cannotMake(String, reason: String)
    case cannotWrite(String, reason: String)
    case notAPath
    case notInPrivateFolder
    case notDaemonsFile
    case cannotBeOpened(String)
    case backupUnreadable(String)
    case runAsDaemonsUser
    case backupNotTrusted(String, reason: String)

    // MARK: Wrong arguments

    case accountOrAll
    case headerEnvOrJSON
    case between(String, Int, Int)
    case backupNeedsFile
    case whoIsAtPort
    case noPolicyFolder(String)
    case policyCheckNamesFile
    case nextToken

    // MARK: Outside authorities

    case authorityNeedsURL
    case registerFirst(String)
    case authorityAdded(String, url: String)
    case authorityRemoved(String)
    case leftThere(String)
    case saysWho
    case givesRefreshTokens
    case revokesTokens
    case endsItsSessions
    case addedByYou
    case addedByOperator
    case redirectURIToRegister(String)

    // MARK: Accounts of other programs

    case oidcAgentAccount
    case msalCache
    case importLacks(String, of: String)
    case importUnreadable(String)
    case importOfPolicy
    case imported(String, authority: String)
    case deleteFromOIDCAgent(String)
    case deleteFromMSAL(String)

    case afterNeedsGroup
}

/// A sentence about a name that means nothing, or more than one thing.
enum PrefixText: ScreenText, Hashable {
    case none(UniquePrefix.Kind, String)
    case several(UniquePrefix.Kind, String, Int)
    case oneOf(String)

    var english: String {
        switch self {
        case .none(let kind, let name): "there is no \(kind.english) \(name)"
        case .several(let kind, let name, let count): "\(name) is the beginning of \(count) \(kind.english)s"
        case .oneOf(let names): "one of \(names)"
        }
    }

    var german: String {
        switch self {
        case .none(let kind, let name): "es gibt \(kind.absentInGerman) \(name)"
        case .several(let kind, let name, let count): "so beginnen \(count) \(kind.severalInGerman): \(name)"
        case .oneOf(let names): "eines von \(names)"
        }
    }
}

extension UniquePrefix.Kind {
    /// The noun in English.
    fileprivate var english: String {
        switch self {
        case .account: "account"
        case .task: "task"
        case .deletedTask: "deleted task"
        case .conflict: "conflict"
        }
    }

    /// The noun in German, where there is none of it.
    fileprivate var absentInGerman: String {
        switch self {
        case .account: "kein Konto"
        case .task: "keine Aufgabe"
        case .deletedTask: "keine gelöschte Aufgabe"
        case .conflict: "keinen Konflikt"
        }
    }

    /// The noun in German, where there are several.
    fileprivate var severalInGerman: String {
        switch self {
        case .account: "Konten"
        case .task: "Aufgaben"
        case .deletedTask: "gelöschte Aufgaben"
        case .conflict: "Konflikte"
        }
    }
}

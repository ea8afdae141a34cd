class Song
  attr_reader :title, :seconds

  def initialize(title, seconds)
    @title = title
    @seconds = seconds
  end
end

class Playlist
  def initialize(name)
    @name = name
    @songs = []
  end

  def add(song)
    @songs << song
    self
  end

  def length
    @songs.sum { |song| song.seconds }
  end

  def longest
    @songs.min_by(&:seconds)
  end

  def titles
    @songs.map(&:title)
  end

  def to_s
    "#{@name} (#{@songs.size} songs)"
  end
end

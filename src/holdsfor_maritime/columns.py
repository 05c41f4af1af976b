"""The columns of position reports: those of the public data set of Brest."""

COLUMNS = (
    "sourcemmsi",
    "navigationalstatus",
    "rateofturn",
    "speedoverground",
    "courseoverground",
    "trueheading",
    "lon",
    "lat",
    "t",
)
